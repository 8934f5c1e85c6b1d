import { flow as flowOperation } from '../../client/flows.ts';
import { useAnswer } from '../../client/live.ts';
import { read } from '../../client/query-client.ts';
import { flowTrails } from '../../client/trails.ts';
import { stateOfWord } from '../../model/states.ts';
import { Code } from '../../parts/code.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Id } from '../../parts/id.tsx';
import { PageLink } from '../../parts/link.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Panel } from '../../parts/panel.tsx';
import { State } from '../../parts/state.tsx';
import { Table } from '../../parts/table.tsx';
import { Text } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { VerdictLine } from '../../parts/verdict-line.tsx';
import type { PageProps } from '../route.ts';
import type { flowRoute } from './route.ts';

/** The page of a flow: its trails, the newest first, and its template. */
export default function FlowPage({ params, search: { page } }: PageProps<typeof flowRoute>) {
  const flow = useAnswer(read(flowOperation, params));
  const { latest_state: state, template } = flow;
  return (
    <>
      <VerdictLine
        kind="Flow"
        subject={flow.name}
        sentence={
          state === null ? (
            'No trail was reported yet.'
          ) : (
            <>
              The latest trail is {stateOfWord(state) === 'non-compliant' ? 'not compliant' : stateOfWord(state)}. Last
              activity <Time at={flow.latest_activity_at} show="ago" />.
            </>
          )
        }
        description={flow.description}
        facts={[
          <span key="created">
            created <Time at={flow.created_at} /> by <Text>{flow.created_by}</Text>
          </span>,
          ...(flow.archived ? ['archived'] : []),
        ]}
      />
      <Panel title="Trails" rows={8}>
        <Trails params={params} page={page} />
      </Panel>
      <Panel title="Template" note="what every trail must have">
        <Code what="YAML" numbers>
          {Array.isArray(template) ? template.join('\n') : template.trimEnd()}
        </Code>
      </Panel>
    </>
  );
}

function Trails({ params, page }: { params: { org: string; flow: string }; page: number | undefined }) {
  const answer = useAnswer(read(flowTrails, params, { page, per_page: 50 }));
  const { data } = answer;
  if (data.length === 0) {
    return (
      <Empty
        sentence="This flow has no trail yet."
        remedy="A pipeline begins a trail for each change, build or release."
        commands={[
          {
            what: 'Command-line client',
            text: `kosli begin trail NAME --flow ${params.flow} --org ${params.org} --host ${location.origin} --api-token "$KEY"`,
          },
        ]}
      />
    );
  }
  return (
    <>
      <Table
        caption="Trails, the newest first"
        rows={data}
        keyOf={({ name }) => name}
        columns={[
          {
            head: 'Name',
            cell: ({ name }) => (
              <PageLink page="trail" params={{ ...params, trail: name }} strong row>
                <Text>{name}</Text>
              </PageLink>
            ),
          },
          { head: 'State', fit: true, cell: ({ compliance_state: word }) => <State state={stateOfWord(word)} /> },
          {
            head: 'Commit',
            wide: true,
            cell: ({ git_commit_info: commit }) => (
              <>
                {typeof commit?.['sha1'] === 'string' && (
                  <Id what="commit" short plain>
                    {commit['sha1']}
                  </Id>
                )}{' '}
                <Text>{typeof commit?.['message'] === 'string' ? (commit['message'].split('\n')[0] ?? '') : ''}</Text>
              </>
            ),
          },
          { head: 'By', fit: true, cell: ({ created_by: by }) => <Text>{by}</Text> },
          { head: 'Last report', fit: true, cell: ({ last_modified_at: at }) => <Time at={at} show="ago" /> },
        ]}
      />
      {'pagination' in answer && <Pager pagination={answer.pagination} page="flow" params={params} />}
    </>
  );
}
