import { CatchBoundary } from '@tanstack/react-router';
import { useAnswer, useLiveAnswer, useRefreshOn } from '../client/live.ts';
import { read } from '../client/query-client.ts';
import { GapsPanel } from '../expectation/gap/gaps-panel.tsx';
import { stateOfWord } from '../model/states.ts';
import { Writes } from '../parts/form/writes.tsx';
import { PageLink } from '../parts/link/link.tsx';
import { Panel, Waiting } from '../parts/page/panel.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { Tabs } from '../parts/page/tabs.tsx';
import { usePresentName } from '../parts/page/use-present-name.ts';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { Tags } from '../parts/tags/tags.tsx';
import { Code } from '../parts/text/code.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import { flowArtifacts } from '../release/operations.ts';
import type { ParamsOf } from '../routes/params.ts';
import type { PageProps } from '../routes/route.ts';
import { flowTrails } from '../trail/operations.ts';
import { flowWrites } from './forms.ts';
import { DaysOfTrails, Frequency } from './frequency.tsx';
import { flowSentence } from './model/flow-grid.ts';
import { type Flow, flowFrequency, flow as flowOperation } from './operations.ts';
import { type flowRoute, readTrails, STRIP_DAYS } from './routes.ts';
import { Trails } from './trails.tsx';

/** The page of a flow: what the template asks for and what there is, over its trails. */
export default function FlowPage({ params, search }: PageProps<typeof flowRoute>) {
  const flow = useLiveAnswer(read(flowOperation, params), 10);
  usePresentName('flow', params.flow, flow.name);
  // Only the flow is read every few seconds. Its trails are read again when it says that something was reported.
  useRefreshOn(`${flow.latest_activity_at} ${flow.latest_state}`, [
    [flowTrails.path, params],
    [flowArtifacts.path, params],
    [flowFrequency.path, params],
  ]);
  const { tab } = search;
  const latest = flow.latest_state === null ? undefined : stateOfWord(flow.latest_state);
  return (
    <>
      <VerdictLine
        kind="Flow"
        subject={flow.name}
        state={latest}
        sentence={
          tab === undefined ? (
            <CatchBoundary getResetKey={() => flow.name} errorComponent={() => <>{latestText(flow)}</>}>
              <Sentence params={params} />
            </CatchBoundary>
          ) : (
            latestText(flow)
          )
        }
        description={flow.description}
        actions={<Writes org={params.org} writes={flowWrites(params.org, flow)} />}
        facts={[
          <span key="activity">
            last report <Time at={flow.latest_activity_at} show="ago" never="never" />
          </span>,
          <span key="deployed">
            last deployment <Time at={flow.last_deployment_at} show="ago" never="never" />
          </span>,
          <span key="created">
            created <Time at={flow.created_at} /> by <Text>{flow.created_by}</Text>
          </span>,
          <PageLink key="artifacts" page="artifacts" params={{ org: params.org }} search={{ flow: flow.name }}>
            Artifacts
          </PageLink>,
          <PageLink key="attestations" page="attestations" params={{ org: params.org }} search={{ flow: flow.name }}>
            Attestations
          </PageLink>,
          ...(Object.keys(flow.tags).length > 0 ? [<Tags key="tags" tags={flow.tags} />] : []),
          ...(flow.archived ? ['archived'] : []),
        ]}
      />
      <Tabs
        label="Views of the flow"
        tabs={[
          { label: 'Trails', page: 'flow', params, isCurrent: tab === undefined },
          { label: 'Frequency', page: 'flow', params, search: { tab: 'frequency' }, isCurrent: tab === 'frequency' },
          { label: 'Gaps', page: 'flow', params, search: { tab: 'gaps' }, isCurrent: tab === 'gaps' },
          { label: 'Template', page: 'flow', params, search: { tab: 'template' }, isCurrent: tab === 'template' },
        ]}
      />
      {tab === undefined && (
        <>
          <Panel
            title={`Last ${STRIP_DAYS} days`}
            note="trails by the day on which they began, in the state that they have now"
            rows={1}
          >
            <DaysOfTrails params={params} />
          </Panel>
          <Waiting rows={12}>
            <Trails params={params} search={search} />
          </Waiting>
        </>
      )}
      {tab === 'frequency' && <Frequency params={params} search={search} />}
      {tab === 'gaps' && <GapsPanel org={params.org} subject={params.flow} />}
      {tab === 'template' && <Template flow={flow} />}
      <Raw value={flow} path={`/flows/${params.org}/${flow.name}`} />
    </>
  );
}

/** What the flow itself says, without its trails. */
const latestText = ({ latest_state: state }: Flow): string => {
  if (state === null) return 'No trail was reported yet.';
  const word = stateOfWord(state);
  return `The latest trail is ${word === 'non-compliant' ? 'not compliant' : word}.`;
};

/** The verdict of the newest trail and its reason. */
function Sentence({ params }: { params: ParamsOf<'flow'> }) {
  const answer = useAnswer(readTrails(params, {}));
  const total = 'pagination' in answer ? answer.pagination.total : answer.data.length;
  return <Text>{flowSentence(answer.data, total)}</Text>;
}

const Template = ({ flow: { template } }: { flow: Flow }) => (
  <Code what="YAML" numbers>
    {Array.isArray(template) ? template.join('\n') : template.trimEnd()}
  </Code>
);
