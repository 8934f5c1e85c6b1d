import { useLiveAnswer } from '../client/live.ts';
import { stateOfWord } from '../model/states.ts';
import { Writes } from '../parts/form/writes.tsx';
import { PageLink } from '../parts/link/link.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { Filters, SelectFilter } from '../parts/table/filters.tsx';
import { Pager } from '../parts/table/pager.tsx';
import { Table } from '../parts/table/table.tsx';
import { TextFilter } from '../parts/table/text-filter.tsx';
import { Tags } from '../parts/tags/tags.tsx';
import { State } from '../parts/text/state.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import type { PageProps } from '../routes/route.ts';
import { newFlow } from './forms.ts';
import { flowListSentence } from './model/flow-list.ts';
import type { Flow } from './operations.ts';
import { type flowsRoute, readFlows } from './routes.ts';

/** All flows of an organization, those that were reported to last first. */
export default function FlowsPage({ params, search }: PageProps<typeof flowsRoute>) {
  const { org } = params;
  const answer = useLiveAnswer(readFlows(org, search), 30);
  const flows = Array.isArray(answer) ? answer : answer.data;
  const total = Array.isArray(answer) ? answer.length : answer.pagination.total;
  return (
    <>
      <VerdictLine
        subject="Flows"
        context={org}
        sentence={<Text>{flowListSentence(flows, total, search.q !== undefined)}</Text>}
        actions={<Writes org={org} writes={[newFlow(org)]} />}
      />
      {(total > 0 || search.q !== undefined) && (
        <Filters label="Filter the flows">
          <TextFilter label="Name" value={search.q ?? ''} />
          <SelectFilter
            label="Order"
            name="sort"
            value={search.sort?.replace(/^-/, '')}
            all="Latest report"
            options={[['name', 'Name']]}
          />
        </Filters>
      )}
      {flows.length === 0 ? (
        search.q === undefined ? (
          <NoFlow org={org} />
        ) : (
          <Empty sentence="No flow has this text in its name." />
        )
      ) : (
        <FlowTable org={org} flows={flows} />
      )}
      {!Array.isArray(answer) && <Pager pagination={answer.pagination} page="flows" params={params} search={search} />}
      <Raw value={answer} path={`/flows/${org}?page=1&per_page=50`} />
    </>
  );
}

const FlowTable = ({ org, flows }: { org: string; flows: readonly Flow[] }) => (
  <Table
    caption="Flows"
    rows={flows}
    keyOf={({ id }) => id}
    isUnreadable={({ unreadable }) => unreadable === true}
    columns={[
      {
        head: 'Flow',
        serverSort: { by: 'name', begins: 'ascending' },
        cell: ({ name }) => (
          <PageLink page="flow" params={{ org, flow: name }} strong row>
            <Text>{name}</Text>
          </PageLink>
        ),
      },
      {
        head: 'Latest trail',
        fit: true,
        cell: ({ latest_state: word }) => (word === null ? 'no trail yet' : <State state={stateOfWord(word)} />),
      },
      { head: 'About', wide: true, cell: ({ description }) => <Text>{description}</Text> },
      { head: 'Tags', cell: ({ tags }) => <Tags tags={tags} /> },
      {
        head: 'Last report',
        serverSort: { by: 'latest_activity', begins: 'descending', isUsual: true },
        fit: true,
        cell: ({ latest_activity_at: at }) => <Time at={at} show="ago" never="never" />,
      },
      {
        head: 'Last deployment',
        fit: true,
        cell: ({ last_deployment_at: at }) => <Time at={at} show="ago" never="never" />,
      },
    ]}
  />
);

const NoFlow = ({ org }: { org: string }) => (
  <Empty
    sentence="A flow is a process whose runs are recorded as trails: builds, releases, changes."
    remedy="Its template says what evidence each trail must have."
    commands={[
      {
        what: 'Command-line client',
        text: `kosli create flow NAME --use-empty-template --org ${org} --host ${location.origin} --api-token "$KEY"`,
      },
      {
        what: 'curl',
        text: `curl -X PUT ${location.origin}/api/v2/flows/${org} \\\n  -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\\n  -d '{"name":"NAME"}'`,
      },
    ]}
  />
);
