import { useAnswer, useLiveAnswer } from '../client/live.ts';
import { Writes } from '../parts/form/writes.tsx';
import { PageLink } from '../parts/link/link.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Panel, Waiting } from '../parts/page/panel.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { CursorPager } from '../parts/table/cursor-pager.tsx';
import { Text } from '../parts/text/text.tsx';
import { useNow } from '../parts/text/time.tsx';
import type { PageProps } from '../routes/route.ts';
import { ExpectationTable } from './expectation-table.tsx';
import { newExpectation } from './forms.ts';
import { GapTable } from './gap/gap-table.tsx';
import { byUrgency, dueSoon, expectationListSentence } from './model/expectations.ts';
import type { Expectation } from './operations.ts';
import { type expectationsRoute, readExpectations, readNewestGaps, readOpenGaps } from './routes.ts';

const BY_NAME = { first: 'Back to the first', next: 'More' };

/** All expectations of an organization: what is overdue first. */
export default function ExpectationsPage({ params, search }: PageProps<typeof expectationsRoute>) {
  const { org } = params;
  const answer = useLiveAnswer(readExpectations(org, search.cursor), 30);
  const { expectations: all, next_cursor: next } = answer;
  return (
    <>
      <VerdictLine
        subject="Expectations"
        context={org}
        sentence={<Text>{expectationListSentence(all)}</Text>}
        actions={<Writes org={org} writes={[newExpectation(org, all)]} />}
      />
      {all.length === 0 ? (
        <Empty
          sentence="A reporter that died leaves the last good picture of its environment for ever."
          remedy="Say how often reports have to come. Who does not report is late, and then missed."
          commands={[
            {
              what: 'curl',
              text: `curl -X PUT ${location.origin}/api/v2/expectations/${org} \\\n  -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\\n  -d '{"name":"prod-reports","kind":"reports","scope":{"environments":["prod"]},"every":"PT20M"}'`,
            },
          ]}
        />
      ) : (
        <>
          <Waiting rows={2}>
            <Overdue org={org} />
          </Waiting>
          <List org={org} all={all} />
          <Panel
            title="Missed before"
            note="the newest first"
            actions={
              <PageLink page="gaps" params={{ org }}>
                All gaps
              </PageLink>
            }
          >
            <Before org={org} />
          </Panel>
        </>
      )}
      <CursorPager next={next} page="expectations" params={params} search={search} labels={BY_NAME} />
      <Raw value={answer} path={`/expectations/${org}?include=counts`} />
    </>
  );
}

/** What lasts now, with who has to act. */
function Overdue({ org }: { org: string }) {
  const { gaps, next_cursor: next } = useAnswer(readOpenGaps(org));
  if (gaps.length === 0) return null;
  return (
    <Panel
      title="Overdue"
      note="it lasts"
      actions={
        next !== null && (
          <PageLink page="gaps" params={{ org }} search={{ state: 'open' }}>
            All that last
          </PageLink>
        )
      }
    >
      <GapTable org={org} caption="Gaps that last" gaps={gaps} />
    </Panel>
  );
}

function Before({ org }: { org: string }) {
  const ended = useAnswer(readNewestGaps(org)).gaps.filter(({ state }) => state !== 'open');
  if (ended.length === 0) return <Empty sentence="Nothing else was missed." />;
  return <GapTable org={org} caption="Gaps that ended" gaps={ended} />;
}

function List({ org, all }: { org: string; all: readonly Expectation[] }) {
  const active = all.filter(({ archived }) => !archived);
  const archived = all.filter((one) => one.archived);
  const soon = dueSoon(active, useNow());
  return (
    <>
      <Panel title="Expected" note="what is overdue first">
        <ExpectationTable org={org} caption="Expectations" expectations={byUrgency(active)} />
      </Panel>
      {soon.length > 0 && (
        <Panel title="Due in 14 days" note="of what is expected once a day or less often, the next one first">
          <ExpectationTable org={org} caption="Expectations that are due soon" expectations={soon} />
        </Panel>
      )}
      {archived.length > 0 && (
        <Panel title="Archived" note="they expect nothing">
          <ExpectationTable org={org} caption="Archived expectations" expectations={archived} />
        </Panel>
      )}
    </>
  );
}
