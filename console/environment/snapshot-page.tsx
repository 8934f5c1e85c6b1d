import { useNavigate } from '@tanstack/react-router';
import { useAnswer } from '../client/live.ts';
import { stateOfVerdict } from '../model/states.ts';
import { duration } from '../model/time.ts';
import { DownloadEvidence } from '../package/download-evidence.tsx';
import { Button } from '../parts/control/button.tsx';
import { useKeys } from '../parts/keys/keyboard.tsx';
import { PageLink } from '../parts/link/link.tsx';
import { VersionLinks } from '../parts/link/name-links.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { Tabs } from '../parts/page/tabs.tsx';
import { usePresentName } from '../parts/page/use-present-name.ts';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time, useNow } from '../parts/text/time.tsx';
import { LogPanel } from '../proof/log-proof.tsx';
import type { ParamsOf } from '../routes/params.ts';
import type { PageProps } from '../routes/route.ts';
import { routePath } from '../routes/route-path.ts';
import { changedRows, rowsSentence, runningRows, worstFirst } from './model/snapshot-rows.ts';
import { asOfSnapshot, stateReasonText } from './model/state-reason.ts';
import type { SnapshotRows } from './operations.ts';
import { AppliedPolicies } from './present/applied-policies.tsx';
import { useCompare } from './present/use-compare.ts';
import { readRows, readSnapshot } from './reads.ts';
import type { snapshotRoute } from './routes.ts';
import { RowsOf, SnapshotRowTable } from './snapshot-row-table.tsx';

/** The page of a snapshot: what ran in an environment at an instant, and whether that was compliant. */
export default function SnapshotPage({ params, search }: PageProps<typeof snapshotRoute>) {
  const { org, env, expression } = params;
  const { tab } = search;
  const snapshot = useAnswer(readRows(params, expression));
  usePresentName('environment', env, snapshot.environment);
  const { index, state, is_latest: isLatest } = snapshot;
  const running = runningRows(snapshot);
  const changes = changedRows(snapshot);
  const compare = useCompare(org, index > 1 ? `${env}#${index - 1}` : `${env}#${index}`, `${env}#${index}`);
  useNeighbours(params, snapshot, compare);
  const tabs = [
    { label: 'Artifacts', name: undefined, count: running.length },
    { label: 'Changes', name: 'changes', count: changes.length },
    { label: 'Policies', name: 'policies', count: snapshot.policies.length },
  ] as const;
  return (
    <>
      <VerdictLine
        kind="Snapshot"
        subject={`${env} #${index}`}
        state={stateOfVerdict(state)}
        sentence={
          <Text>
            {`${stateReasonText(snapshot)} ${asOfSnapshot(snapshot, rowsSentence(worstFirst(running)))}`.trim()}
          </Text>
        }
        facts={factsOf(params, snapshot)}
        actions={
          <>
            {index > 1 && <Button onClick={compare}>Compare with #{index - 1}</Button>}
            <DownloadEvidence org={org} scope={{ type: 'snapshot', environment: env, index }} />
            {!isLatest && <CompareWithNewest org={org} env={env} index={index} />}
          </>
        }
      />
      <Tabs
        label="Views of the snapshot"
        tabs={tabs.map(({ label, name, count }) => ({
          label,
          count,
          page: 'snapshot' as const,
          params,
          search: { tab: name },
          isCurrent: name === tab,
        }))}
      />
      {tab === undefined && (
        <SnapshotRowTable org={org} rows={running} page="snapshot" params={params} search={search} />
      )}
      {tab === 'changes' && <Changes org={org} snapshot={snapshot} />}
      {tab === 'policies' && (
        <Panel title="Policies" note="each rule in the version that was applied">
          <Policies params={params} />
        </Panel>
      )}
      <LogPanel key={`${env} ${index}`} record={{ kind: 'snapshot', org, env, snapshot }} of="the snapshot" />
      <Raw
        value={running.length > 500 ? { ...snapshot, artifacts: `${snapshot.artifacts.length} rows` } : snapshot}
        path={`/snapshots/${org}/${env}/${index}/artifacts`}
      />
    </>
  );
}

/** `[` and `]` go to the snapshots before and after. */
function useNeighbours(
  params: ParamsOf<'snapshot'>,
  { index, is_latest: isLatest }: SnapshotRows,
  compare: () => void,
) {
  const navigate = useNavigate();
  const go = (to: number) =>
    void navigate({ to: routePath('snapshot'), params: { ...params, expression: String(to) } });
  useKeys({
    '[': { does: 'Previous snapshot', run: () => index > 1 && go(index - 1) },
    ']': { does: 'Next snapshot', run: () => !isLatest && go(index + 1) },
    c: { does: 'Compare with the snapshot before', run: compare },
  });
}

function factsOf({ org, env }: ParamsOf<'snapshot'>, snapshot: SnapshotRows): React.ReactNode[] {
  const { index, timestamp, next_snapshot_timestamp: next, is_latest: isLatest, policies } = snapshot;
  const to = (number: number) => ({ org, env, expression: String(number) });
  return [
    <span key="time">
      <Time at={timestamp} show="full" /> to {next === null ? 'now' : <Time at={next} show="full" />}
    </span>,
    <Length key="length" from={timestamp} to={next} />,
    <span key="policies">
      {policies.length === 0 ? 'no policies' : 'policies '}
      <VersionLinks org={org} policies={policies} />
    </span>,
    ...(index > 1
      ? [
          <PageLink key="before" page="snapshot" params={to(index - 1)}>
            ← #{index - 1}
          </PageLink>,
        ]
      : []),
    isLatest ? (
      'the newest'
    ) : (
      <PageLink key="after" page="snapshot" params={to(index + 1)}>
        #{index + 1} →
      </PageLink>
    ),
  ];
}

function Length({ from, to }: { from: number; to: number | null }) {
  const now = useNow();
  return <>for {duration((to ?? Math.max(now, from)) - from)}</>;
}

function CompareWithNewest({ org, env, index }: { org: string; env: string; index: number }) {
  const compare = useCompare(org, `${env}#${index}`, env);
  return <Button onClick={compare}>Compare with now</Button>;
}

/** What started, stopped or changed against the snapshot before. */
function Changes({ org, snapshot }: { org: string; snapshot: SnapshotRows }) {
  const rows = changedRows(snapshot);
  if (rows.length === 0) {
    return (
      <Empty sentence="The same artifacts ran in the snapshot before. A verdict or a policy changed, or it is the first one." />
    );
  }
  return <RowsOf org={org} rows={worstFirst(rows)} showsChange />;
}

function Policies({ params }: { params: ParamsOf<'snapshot'> }) {
  const snapshot = useAnswer(readSnapshot(params, params.expression));
  return <AppliedPolicies org={params.org} snapshot={snapshot} />;
}
