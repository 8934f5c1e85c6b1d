import type { PageName } from '#shared/console/pages.ts';
import type { ParamsOf } from '../../routes/params.ts';
import type { LinkSearch } from '../../routes/target.ts';
import { PageLink } from '../link/link.tsx';
import styles from './choices.module.css';

/** Links to other views of the same list, side by side. */
export const PageChoices = ({ children }: { children: React.ReactNode }) => (
  <nav className={styles['choices']} aria-label="Pages">
    {children}
  </nav>
);

interface DayChoicesProps<N extends PageName> {
  page: N;
  params: ParamsOf<N>;
  /** The present parameters of the address. They stay. */
  search: LinkSearch;
  /** Numbers of days, as they stand in the address; undefined is the usual one, which the address leaves out. */
  periods: readonly (string | undefined)[];
  usual: number;
}

/** The length of a time axis. It stands in the address. */
export const DayChoices = <N extends PageName>({ page, params, search, periods, usual }: DayChoicesProps<N>) => (
  <span className={styles['choices']}>
    {periods.map((days) => (
      <PageLink
        key={days ?? ''}
        page={page}
        params={params}
        search={{ ...search, days }}
        aria-current={search['days'] === days ? 'page' : undefined}
        keepPlace
        replace
      >
        {days ?? usual} d
      </PageLink>
    ))}
  </span>
);
