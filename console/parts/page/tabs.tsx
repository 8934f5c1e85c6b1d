import type { PageName } from '#shared/console/pages.ts';
import type { ParamsOf } from '../../routes/params.ts';
import type { LinkSearch } from '../../routes/target.ts';
import { PageLink } from '../link/link.tsx';
import styles from './tabs.module.css';

interface Tab<N extends PageName> {
  label: string;
  count?: number | undefined;
  page: N;
  params: ParamsOf<N>;
  search?: LinkSearch;
  isCurrent: boolean;
}

/** Views of one subject. Each is a link, so that its address can be shared. */
export const Tabs = <N extends PageName>({ label, tabs }: { label: string; tabs: readonly Tab<N>[] }) => (
  <nav className={styles['tabs']} aria-label={label}>
    {tabs.map((tab) => (
      <PageLink
        key={tab.label}
        page={tab.page}
        params={tab.params}
        search={tab.search ?? {}}
        className={styles['tab']}
        aria-current={tab.isCurrent ? 'page' : undefined}
        keepPlace
        replace
      >
        {tab.label}
        {tab.count !== undefined && <span className={styles['count']}> {tab.count.toLocaleString('en')}</span>}
      </PageLink>
    ))}
  </nav>
);
