import { useLiveAnswer } from '../../client/live.ts';
import { PageLink } from '../../parts/link/link.tsx';
import { Empty } from '../../parts/page/empty.tsx';
import { Raw } from '../../parts/page/raw.tsx';
import { VerdictLine } from '../../parts/page/verdict-line.tsx';
import { CursorPager } from '../../parts/table/cursor-pager.tsx';
import { DayFilter, Filters, SelectFilter } from '../../parts/table/filters.tsx';
import { TextFilter } from '../../parts/table/text-filter.tsx';
import type { PageProps } from '../../routes/route.ts';
import { gapListSentence } from '../model/gaps.ts';
import { type gapsRoute, KINDS, readGaps } from '../routes.ts';
import { GapTable } from './gap-table.tsx';

/** All gaps of an organization, the newest first. */
export default function GapsPage({ params, search }: PageProps<typeof gapsRoute>) {
  const { org } = params;
  const answer = useLiveAnswer(readGaps(org, search), 30);
  const { gaps, next_cursor: next } = answer;
  const { cursor, ...filters } = search;
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <>
      <VerdictLine
        subject="Gaps"
        context={org}
        sentence={gapListSentence(gaps, next !== null || cursor !== undefined, isFiltered)}
        facts={[
          <PageLink key="expectations" page="expectations" params={{ org }}>
            Expectations
          </PageLink>,
        ]}
      />
      <Filters label="Filter the gaps">
        <TextFilter label="Environment or flow" name="subject" value={search.subject ?? ''} />
        <TextFilter label="Expectation" name="expectation" value={search.expectation ?? ''} />
        <SelectFilter
          label="State"
          name="state"
          value={search.state}
          options={[
            ['open', 'open'],
            ['closed', 'ended'],
            ['excused', 'excused'],
            ['unknown', 'unknown'],
          ]}
        />
        <SelectFilter label="Kind" name="kind" value={search.kind} options={KINDS.map((kind) => [kind, kind])} />
        <DayFilter label="From" name="from" value={search.from} />
        <DayFilter label="To" name="to" value={search.to} />
      </Filters>
      {gaps.length === 0 ? (
        <Empty
          sentence={
            isFiltered
              ? 'No gap fits the filter.'
              : 'A gap is a time in which something that was expected did not come.'
          }
          {...(!isFiltered && {
            remedy: (
              <PageLink page="expectations" params={{ org }}>
                Say what is expected
              </PageLink>
            ),
            commands: [
              {
                what: 'curl',
                text: `curl ${location.origin}/api/v2/gaps/${org}?state=open -H "Authorization: Bearer $KEY"`,
              },
            ],
          })}
        />
      ) : (
        <GapTable org={org} caption="Gaps" gaps={gaps} />
      )}
      <CursorPager next={next} page="gaps" params={params} search={search} />
      <Raw value={answer} path={`/gaps/${org}`} />
    </>
  );
}
