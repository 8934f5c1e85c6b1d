import { useAnswer } from '../client/live.ts';
import { PageLink } from '../parts/link/link.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { CursorPager } from '../parts/table/cursor-pager.tsx';
import { DayFilter, Filters, SelectFilter } from '../parts/table/filters.tsx';
import { Pager } from '../parts/table/pager.tsx';
import { TextFilter } from '../parts/table/text-filter.tsx';
import type { ParamsOf } from '../routes/params.ts';
import type { SearchOf } from '../routes/search-params.ts';
import styles from './grid.module.css';
import { Grid } from './grid.tsx';
import { foldedGroups, groupsOf } from './model/flow-grid.ts';
import { type flowRoute, readTrails } from './routes.ts';

interface TrailsProps {
  params: ParamsOf<'flow'>;
  search: SearchOf<(typeof flowRoute)['search']>;
}

const STATES = [
  ['non-compliant', 'Not compliant'],
  ['incomplete', 'Incomplete'],
  ['compliant', 'Compliant'],
] as const;

/** The trails of the flow as a grid, with filters by name, state and day. */
export function Trails({ params, search }: TrailsProps) {
  const answer = useAnswer(readTrails(params, search));
  const { q, state, from, to, columns, cursor } = search;
  const isFiltered = [q, state, from, to].some((value) => value !== undefined);
  if (answer.data.length === 0 && !isFiltered && cursor === undefined) return <NoTrail params={params} />;
  const all = groupsOf(answer.data);
  const { groups, folded } = columns === 'all' ? { groups: all, folded: 0 } : foldedGroups(all, answer.data);
  return (
    <>
      <Filters label="Filter the trails">
        <TextFilter label="Name of a trail" value={q ?? ''} />
        <SelectFilter label="State" name="state" value={state} options={STATES} />
        <SelectFilter
          label="Order"
          name="sort"
          value={search.sort}
          all="Newest first"
          options={[['oldest', 'Oldest first']]}
        />
        <DayFilter label="From" name="from" value={from} />
        <DayFilter label="To" name="to" value={to} />
      </Filters>
      {answer.data.length === 0 ? (
        <Empty sentence="No trail fits the filter." />
      ) : (
        <Grid params={params} trails={answer.data} groups={groups} />
      )}
      {(folded > 0 || columns === 'all') && (
        <p className={styles['fold']}>
          {folded > 0 && <span>{folded} columns in which less is missing or failed are folded.</span>}
          <PageLink
            page="flow"
            params={params}
            search={{ ...search, columns: columns === 'all' ? undefined : 'all' }}
            keepPlace
            replace
          >
            {columns === 'all' ? 'Fold columns' : 'Show all columns'}
          </PageLink>
        </p>
      )}
      {'pagination' in answer ? (
        <Pager pagination={answer.pagination} page="flow" params={params} search={search} />
      ) : (
        <CursorPager next={answer.next_cursor} page="flow" params={params} search={search} />
      )}
    </>
  );
}

const NoTrail = ({ params: { org, flow } }: Pick<TrailsProps, 'params'>) => (
  <Empty
    sentence="This flow has no trail yet."
    remedy="A pipeline begins a trail for each change, build or release, and then reports what it did to it."
    commands={[
      {
        what: 'Command-line client',
        text: `kosli begin trail NAME --flow ${flow} --org ${org} --host ${location.origin} --api-token "$KEY"`,
      },
      {
        what: 'curl',
        text: `curl -X POST ${location.origin}/api/v2/trails/${org}/${flow} \\\n  -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\\n  -d '{"name":"NAME"}'`,
      },
    ]}
  />
);
