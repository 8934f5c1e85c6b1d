import type { PageName } from '#shared/console/pages.ts';
import type { ParamsOf } from '../../routes/params.ts';
import type { LinkSearch } from '../../routes/target.ts';
import { Icon } from '../control/icons.tsx';
import { PageLink } from '../link/link.tsx';
import styles from './pager.module.css';

interface StepsProps<N extends PageName> {
  page: N;
  params: ParamsOf<N>;
  /** The parameters of the newer page; null if this is the newest. */
  newer: LinkSearch | null;
  /** The parameters of the older page; null if this is the last. */
  older: LinkSearch | null;
  /** Label of the first link, where it leads to the first page and not to the one before. */
  newerLabel?: string;
}

/** Links to the neighbours of a page, in a list that nobody counted. Nothing is drawn for a single page. */
export function Steps<N extends PageName>({ page, params, newer, older, newerLabel = 'Newer' }: StepsProps<N>) {
  if (!newer && !older) return null;
  return (
    <nav className={styles['pager']} aria-label="Pages">
      {newer && (
        <PageLink page={page} params={params} search={newer} className={styles['word']}>
          <Icon name="back" /> {newerLabel}
        </PageLink>
      )}
      {older && (
        <PageLink page={page} params={params} search={older} className={styles['word']}>
          Older <Icon name="next" />
        </PageLink>
      )}
    </nav>
  );
}
