import type { PageName } from '#shared/console/pages.ts';
import type { ParamsOf } from '../../routes/params.ts';
import type { LinkSearch } from '../../routes/target.ts';
import { Icon } from '../control/icons.tsx';
import { PageLink } from '../link/link.tsx';
import styles from './pager.module.css';

interface PagerProps<N extends PageName> {
  pagination: { page: number; per_page: number; total: number; page_count: number };
  page: N;
  params: ParamsOf<N>;
  /** The filters of the page, which the links keep. */
  search?: LinkSearch;
}

/** Links to the pages of a list. They stand in the address as `?page=2`. Nothing is drawn for a single page. */
export function Pager<N extends PageName>({ pagination, page, params, search = {} }: PagerProps<N>) {
  const { page: number, per_page: size, total, page_count: last } = pagination;
  if (total <= size) return null;
  const step = (to: number, label: string, icon: 'back' | 'next') =>
    to < 1 || to > last ? (
      <span className={`${styles['step']} ${styles['none']}`} aria-hidden="true">
        <Icon name={icon} />
      </span>
    ) : (
      <PageLink
        page={page}
        params={params}
        search={{ ...search, page: to === 1 ? undefined : to }}
        className={styles['step']}
      >
        <Icon name={icon} />
        <span className="visually-hidden">{label}</span>
      </PageLink>
    );
  const first = (number - 1) * size + 1;
  return (
    <nav className={styles['pager']} aria-label="Pages">
      {step(number - 1, 'Previous page', 'back')}
      <span>
        {first}–{Math.min(total, number * size)} of {total.toLocaleString('en')}
      </span>
      {step(number + 1, 'Next page', 'next')}
    </nav>
  );
}
