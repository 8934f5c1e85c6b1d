import { snapshot as snapshotOperation } from '../../client/environments.ts';
import { useAnswer } from '../../client/live.ts';
import { read } from '../../client/query-client.ts';
import { runningIn, snapshotSentence } from '../../model/environment.ts';
import { stateOfVerdict } from '../../model/states.ts';
import { PageLink } from '../../parts/link.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Raw } from '../../parts/raw.tsx';
import { SnapshotArtifacts } from '../../parts/snapshot-artifacts.tsx';
import { Text } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { VerdictLine } from '../../parts/verdict-line.tsx';
import type { PageProps } from '../route.ts';
import type { snapshotRoute } from './route.ts';

/** The page of a snapshot: what ran in an environment at an instant, and whether that was compliant. */
export default function SnapshotPage({ params }: PageProps<typeof snapshotRoute>) {
  const { org, env, expression } = params;
  const snapshot = useAnswer(read(snapshotOperation, { org, env_name: env, snappish: expression }));
  const { index, timestamp, next_snapshot_timestamp: next, is_latest: isLatest } = snapshot;
  const gone = snapshot.artifacts.filter(({ annotation }) => annotation.now === 0);
  const to = (number: number) => ({ org, env, expression: String(number) });
  return (
    <>
      <VerdictLine
        kind="Snapshot"
        subject={`${env} #${index}`}
        state={stateOfVerdict(snapshot.state)}
        sentence={<Text>{snapshotSentence(snapshot)}</Text>}
        facts={[
          <span key="time">
            <Time at={timestamp} show="full" /> to {next === null ? 'now' : <Time at={next} show="full" />}
          </span>,
          ...(index > 1
            ? [
                <PageLink key="before" page="snapshot" params={to(index - 1)}>
                  #{index - 1} before
                </PageLink>,
              ]
            : []),
          isLatest ? (
            'newest'
          ) : (
            <PageLink key="after" page="snapshot" params={to(index + 1)}>
              #{index + 1} after
            </PageLink>
          ),
          <PageLink key="environment" page="environment" params={{ org, env }}>
            environment <Text>{env}</Text>
          </PageLink>,
        ]}
      />
      <Panel title="Running">
        <SnapshotArtifacts org={org} artifacts={runningIn(snapshot)} />
      </Panel>
      {gone.length > 0 && (
        <Panel title="Gone since the snapshot before">
          <SnapshotArtifacts org={org} artifacts={gone} />
        </Panel>
      )}
      <Raw value={snapshot} path={`/snapshots/${org}/${env}/${index}`} />
    </>
  );
}
