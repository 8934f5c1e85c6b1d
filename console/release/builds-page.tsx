import { useQuery } from '@tanstack/react-query';
import { useLiveAnswer } from '../client/live.ts';
import { paginationOf } from '../model/pages.ts';
import { Raw } from '../parts/page/raw.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { DayFilter, Filters } from '../parts/table/filters.tsx';
import { Pager } from '../parts/table/pager.tsx';
import { TextFilter } from '../parts/table/text-filter.tsx';
import { Text } from '../parts/text/text.tsx';
import type { PageProps } from '../routes/route.ts';
import { BuildTable, NoBuild } from './build-table.tsx';
import { buildListSentence } from './model/builds.ts';
import { type buildsRoute, readBuilds, readRepoNames } from './routes.ts';

/** The builds of a period: first reports of digests, the newest first. */
export default function BuildsPage({ params, search }: PageProps<typeof buildsRoute>) {
  const { org } = params;
  const { repo, from, to } = search;
  const answer = useLiveAnswer(readBuilds(org, search), 30);
  const repos = useQuery(readRepoNames(org)).data?.repos ?? [];
  return (
    <>
      <VerdictLine
        subject="Builds"
        context={org}
        sentence={<Text>{buildListSentence(answer, { repo, from, to })}</Text>}
        description="A build is the first report of a digest in the organization. Without a period, the last 28 days are shown."
      />
      <Filters label="Filter the builds">
        <TextFilter label="Repository" name="repo" value={repo ?? ''} suggestions={repos.map(({ name }) => name)} />
        <DayFilter label="From" name="from" value={from} />
        <DayFilter label="To" name="to" value={to} />
      </Filters>
      {answer.builds.length === 0 ? (
        <NoBuild org={org} hasEver={answer.has_builds_ever} />
      ) : (
        <BuildTable org={org} builds={answer.builds} />
      )}
      <Pager pagination={paginationOf(answer)} page="builds" params={params} search={search} />
      <Raw value={answer} path={`/builds/${org}?per_page=50`} />
    </>
  );
}
