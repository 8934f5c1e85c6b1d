import { useAnswer } from '../../client/live.ts';
import { buildListSentence, buildsPerDay } from '../../model/builds.ts';
import { paginationOf } from '../../model/pages.ts';
import type { SearchOf } from '../../model/search-params.ts';
import { BuildTable, NoBuild } from '../../parts/build-table.tsx';
import { DailyBars } from '../../parts/daily-bars.tsx';
import { PageLink } from '../../parts/link.tsx';
import { Pager } from '../../parts/pager.tsx';
import { useNow } from '../../parts/time.tsx';
import type { ParamsOf } from '../route.ts';
import styles from './repo.module.css';
import { readBuilds, type repoRoute } from './route.ts';

interface BuildsProps {
  params: ParamsOf<'repo'>;
  search: SearchOf<(typeof repoRoute)['search']>;
}

const DAYS = 28;

/** What was built from the repository in the last 28 days. */
export function Builds({ params, search }: BuildsProps) {
  const { org, repo } = params;
  const answer = useAnswer(readBuilds(params, search));
  const now = useNow();
  const isWhole = answer.total_pages <= 1;
  return (
    <div className={styles['stack']}>
      <p className={styles['line']}>
        <span>{buildListSentence(answer, {})}</span>
        <PageLink page="builds" params={{ org }} search={{ repo }}>
          Other periods
        </PageLink>
      </p>
      {isWhole && answer.builds.length > 0 && (
        <DailyBars label="Builds per day" noun="build" days={buildsPerDay(answer.builds, DAYS, now)} />
      )}
      {answer.builds.length === 0 ? (
        <NoBuild org={org} hasEver={answer.has_builds_ever} />
      ) : (
        <BuildTable org={org} builds={answer.builds} ofRepo />
      )}
      <Pager pagination={paginationOf(answer)} page="repo" params={params} search={search} />
    </div>
  );
}
