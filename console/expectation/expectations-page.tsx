import { useLiveAnswer } from '../client/live.ts';
import { Writes } from '../parts/form/writes.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { CursorPager } from '../parts/table/cursor-pager.tsx';
import { Text } from '../parts/text/text.tsx';
import { useNow } from '../parts/text/time.tsx';
import type { PageProps } from '../routes/route.ts';
import { ExpectationTable } from './expectation-table.tsx';
import { newExpectation } from './forms.ts';
import { byUrgency, dueSoon, expectationListSentence } from './model/expectations.ts';
import type { Expectation } from './operations.ts';
import { type expectationsRoute, readExpectations } from './routes.ts';

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
        <List org={org} all={all} />
      )}
      <CursorPager next={next} page="expectations" params={params} search={search} labels={BY_NAME} />
      <Raw value={answer} path={`/expectations/${org}?include=counts`} />
    </>
  );
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
