import { useAnswer } from '../../client/live.ts';
import { paginationOf } from '../../model/pages.ts';
import { PageLink } from '../../parts/link/link.tsx';
import { DailyBars } from '../../parts/plot/bars.tsx';
import { Pager } from '../../parts/table/pager.tsx';
import { useNow } from '../../parts/text/time.tsx';
import type { ParamsOf } from '../../routes/params.ts';
import type { SearchOf } from '../../routes/search-params.ts';
import { BuildTable, NoBuild } from '../build-table.tsx';
import { buildListSentence, buildsPerDay } from '../model/builds.ts';
import { readBuildsOfRepo, type repoRoute } from '../routes.ts';
import styles from './repo.module.css';

interface BuildsProps {
  params: ParamsOf<'repo'>;
  search: SearchOf<(typeof repoRoute)['search']>;
}

const DAYS = 28;

/** What was built from the repository in the last 28 days. */
export function Builds({ params, search }: BuildsProps) {
  const { org, repo } = params;
  const answer = useAnswer(readBuildsOfRepo(params, search));
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
