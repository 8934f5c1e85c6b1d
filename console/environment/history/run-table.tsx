import { stateOfVerdict } from '../../model/states.ts';
import { count } from '../../model/words.ts';
import { PageLink } from '../../parts/link/link.tsx';
import type { Period } from '../../parts/plot/model/timeline.ts';
import { Strip } from '../../parts/plot/strips.tsx';
import { LongTable } from '../../parts/table/long-table.tsx';
import { Id } from '../../parts/text/id.tsx';
import { State } from '../../parts/text/state.tsx';
import { Text } from '../../parts/text/text.tsx';
import { Time } from '../../parts/text/time.tsx';
import { ArtifactName } from '../../release/artifact-name.tsx';
import { verdictIntervals, verdictsText } from '../model/history.ts';
import type { ArtifactRun } from '../operations.ts';
import styles from './history.module.css';

interface RunTableProps {
  org: string;
  env: string;
  runs: readonly ArtifactRun[];
  period: Period;
}

/** Each uninterrupted time in which an artifact ran, with its verdicts over time and the trail that it came from. */
export function RunTable({ org, env, runs, period }: RunTableProps) {
  const columns = [
    {
      head: 'Artifact',
      width: '22%',
      cell: ({ name, fingerprint, flow_name: flow }: ArtifactRun) => (
        <ArtifactName org={org} name={name} fingerprint={fingerprint} flow={flow} />
      ),
    },
    {
      head: 'From (UTC)',
      fit: true,
      width: '8rem',
      cell: ({ from }: ArtifactRun) => <Time at={from} zone="utc" never="before" />,
    },
    {
      head: 'To (UTC)',
      fit: true,
      width: '8rem',
      cell: ({ to }: ArtifactRun) => <Time at={to} zone="utc" never="still runs" />,
    },
    {
      head: 'In the period',
      width: '16%',
      cell: (run: ArtifactRun) => (
        <span className={styles['row']}>
          <Strip period={period} intervals={verdictIntervals(run, period)} />
        </span>
      ),
    },
    {
      head: 'Verdict',
      width: '20%',
      cell: (run: ArtifactRun) => <Verdict org={org} env={env} run={run} period={period} />,
    },
    { head: 'Trail, commit, evidence', width: '22%', cell: (run: ArtifactRun) => <Origin org={org} run={run} /> },
    {
      head: 'Instances',
      fit: true,
      align: 'end' as const,
      width: '6rem',
      cell: ({ instances }: ArtifactRun) => instances?.toLocaleString('en') ?? '–',
    },
  ];
  return <LongTable caption="Artifacts that ran in the period" rows={runs} columns={columns} keyOf={keyOf} />;
}

const keyOf = ({ fingerprint, name, from }: ArtifactRun): string => `${fingerprint} ${name} ${from}`;

/** Where the artifact comes from, and how much was reported about that. The number leads to the list of it. */
function Origin({ org, run }: { org: string; run: ArtifactRun }) {
  const { flow_name: flow, trail_name: trail, git_commit: commit, trail_moments: moments } = run;
  if (flow === null || trail === null) return 'no build reported';
  const params = { org, flow, trail };
  return (
    <span className={styles['trail']}>
      <PageLink page="trail" params={params}>
        <Text>{trail}</Text>
      </PageLink>{' '}
      <span className={styles['quiet']}>
        of <Text>{flow}</Text>
      </span>
      <span className={styles['under']}>
        {commit !== null && commit !== '' && (
          <Id what="commit" short plain>
            {commit}
          </Id>
        )}
        {typeof moments === 'number' && (
          <PageLink page="trail" params={params} search={{ tab: 'history' }}>
            {count(moments, 'write')}
          </PageLink>
        )}
      </span>
    </span>
  );
}

interface VerdictProps {
  org: string;
  env: string;
  run: ArtifactRun;
  period: Period;
}

/** One verdict as a state; several in words, oldest first. Below it who allowed the artifact, and why. */
const Verdict = ({ org, env, run, period }: VerdictProps) => (
  <>
    {run.verdicts.length === 1 ? <State state={stateOfVerdict(run.state)} /> : verdictsText(run, period)}
    {run.allowed && (
      <p className={styles['allowed']}>
        allowed by{' '}
        <PageLink page="environment-allowed" params={{ org, env }}>
          <Text>{run.allowed.by}</Text>
        </PageLink>{' '}
        <Time at={run.allowed.at} zone="utc" show="full" />: <Text>{run.allowed.description}</Text>
      </p>
    )}
  </>
);
