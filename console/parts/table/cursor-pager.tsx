import type { PageName } from '#shared/console/pages.ts';
import type { ParamsOf } from '../../routes/params.ts';
import type { LinkSearch } from '../../routes/target.ts';
import { PageLink } from '../link/link.tsx';
import styles from './cursor-pager.module.css';

interface CursorPagerProps<N extends PageName> {
  /** The cursor of the next page of the answer; null on the last page. */
  next: string | null;
  page: N;
  params: ParamsOf<N>;
  /** The filters of the page and its present cursor. */
  search: LinkSearch;
  /** Stands in the place of the link to the next page if there is none. */
  end?: string | undefined;
  /** The texts of the links, for lists that are not in the order of time. */
  labels?: { first: string; next: string };
}

const BY_TIME = { first: 'Back to the newest', next: 'Older' };

/** Links to older records, for lists whose pages have cursors. The cursor stands in the address. */
export function CursorPager<N extends PageName>({
  next,
  page,
  params,
  search,
  end,
  labels = BY_TIME,
}: CursorPagerProps<N>) {
  if (next === null && search['cursor'] === undefined && end === undefined) return null;
  return (
    <nav className={styles['pager']} aria-label="Pages">
      {search['cursor'] !== undefined && (
        <PageLink page={page} params={params} search={{ ...search, cursor: undefined }}>
          {labels.first}
        </PageLink>
      )}
      {next === null ? (
        end !== undefined && <span className={styles['end']}>{end}</span>
      ) : (
        <PageLink page={page} params={params} search={{ ...search, cursor: next }}>
          {labels.next}
        </PageLink>
      )}
    </nav>
  );
}
