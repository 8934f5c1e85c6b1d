import {
  environment as environmentOperation,
  snapshot as snapshotOperation,
  snapshots,
} from '../../client/environments.ts';
import { useAnswer, useLiveAnswer } from '../../client/live.ts';
import { read } from '../../client/query-client.ts';
import { environmentSentence, runningIn } from '../../model/environment.ts';
import { stateOfVerdict } from '../../model/states.ts';
import { duration } from '../../model/time.ts';
import { Empty } from '../../parts/empty.tsx';
import { PageLink } from '../../parts/link.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SnapshotArtifacts } from '../../parts/snapshot-artifacts.tsx';
import { State } from '../../parts/state.tsx';
import { Table } from '../../parts/table.tsx';
import { Text } from '../../parts/text.tsx';
import { Time, useNow } from '../../parts/time.tsx';
import { VerdictLine } from '../../parts/verdict-line.tsx';
import type { PageProps, ParamsOf } from '../route.ts';
import type { environmentRoute } from './route.ts';

/** The page of an environment: what runs in it now, and how it came to be. */
export default function EnvironmentPage({ params }: PageProps<typeof environmentRoute>) {
  const { org, env } = params;
  const environment = useLiveAnswer(read(environmentOperation, { org, env_name: env }), 5);
  return (
    <>
      <VerdictLine
        kind={`Environment (${environment.type})`}
        subject={environment.name}
        state={stateOfVerdict(environment.state)}
        sentence={
          environment.last_changed_at === null ? (
            'No report was made yet, so nothing is known of what runs here.'
          ) : (
            <Sentence params={params} />
          )
        }
        facts={[
          <span key="policies">
            {environment.policies.length === 0 ? (
              'no policies'
            ) : (
              <Text>{`policies ${environment.policies.join(', ')}`}</Text>
            )}
          </span>,
          <span key="report">
            last report <Time at={environment.last_reported_at} show="ago" never="never" />
          </span>,
          <span key="change">
            last change <Time at={environment.last_changed_at} show="ago" never="never" />
          </span>,
        ]}
      />
      {environment.last_changed_at === null ? (
        <Empty
          sentence="A reporter in the environment sends what runs there, usually once a minute."
          commands={[
            {
              what: 'Command-line client',
              text: `kosli snapshot ${environment.type.toLowerCase()} ${env} --org ${org} --host ${location.origin} --api-token "$KEY"`,
            },
          ]}
        />
      ) : (
        <>
          <Panel title="Running now">
            <Running params={params} />
          </Panel>
          <Panel title="Snapshots" note="the newest 15">
            <Snapshots params={params} />
          </Panel>
        </>
      )}
    </>
  );
}

function Sentence({ params: { org, env } }: { params: ParamsOf<'environment'> }) {
  const environment = useAnswer(read(environmentOperation, { org, env_name: env }));
  const snapshot = useAnswer(read(snapshotOperation, { org, env_name: env, snappish: '-1' }));
  return <Text>{environmentSentence(environment, snapshot, useNow())}</Text>;
}

function Running({ params: { org, env } }: { params: ParamsOf<'environment'> }) {
  const snapshot = useAnswer(read(snapshotOperation, { org, env_name: env, snappish: '-1' }));
  return <SnapshotArtifacts org={org} artifacts={runningIn(snapshot)} />;
}

function Snapshots({ params: { org, env } }: { params: ParamsOf<'environment'> }) {
  const rows = useAnswer(read(snapshots, { org, env_name: env }));
  return (
    <Table
      caption="Snapshots, the newest first"
      rows={rows}
      keyOf={({ index }) => String(index)}
      columns={[
        {
          head: 'Snapshot',
          cell: ({ index }) => (
            <PageLink page="snapshot" params={{ org, env, expression: String(index) }} strong row>
              #{index}
            </PageLink>
          ),
        },
        { head: 'State', fit: true, cell: ({ state }) => <State state={stateOfVerdict(state)} /> },
        { head: 'From', fit: true, cell: ({ from }) => <Time at={from} /> },
        { head: 'To', fit: true, cell: ({ to }) => (to === 0 ? 'now' : <Time at={to} />) },
        { head: 'For', fit: true, align: 'end', cell: ({ duration: seconds }) => duration(seconds) },
      ]}
    />
  );
}
