import { lazy, Suspense } from 'react';
import type { ArtifactRun } from '../../client/environments.ts';
import { loadChunk } from '../../client/new-version.ts';
import type { Period } from '../../model/environment-timeline.ts';
import { verdictIntervals, verdictsText } from '../../model/history.ts';
import { stateOfVerdict } from '../../model/states.ts';
import { ArtifactName } from '../../parts/artifact-name.tsx';
import { Id } from '../../parts/id.tsx';
import { PageLink } from '../../parts/link.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { State } from '../../parts/state.tsx';
import { Strip } from '../../parts/strip.tsx';
import { Table } from '../../parts/table.tsx';
import { Text } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import styles from './history.module.css';

const Rows = lazy(async () => ({ default: (await loadChunk(() => import('../../parts/rows.tsx'))).Rows<ArtifactRun> }));
const MOST_AT_ONCE = 100;

/** Each uninterrupted time in which an artifact ran, with its verdicts over time and the trail that it came from. */
export function RunTable({ org, runs, period }: { org: string; runs: readonly ArtifactRun[]; period: Period }) {
  const columns = [
    {
      head: 'Artifact',
      width: '22%',
      cell: ({ name, fingerprint, flow_name: flow }: ArtifactRun) => (
        <ArtifactName org={org} name={name} fingerprint={fingerprint} flow={flow} />
      ),
    },
    {
      head: 'From',
      fit: true,
      width: '8rem',
      cell: ({ from }: ArtifactRun) => <Time at={from} never="before" />,
    },
    { head: 'To', fit: true, width: '8rem', cell: ({ to }: ArtifactRun) => <Time at={to} never="still runs" /> },
    {
      head: 'In the period',
      width: '16%',
      cell: (run: ArtifactRun) => (
        <span className={styles['row']}>
          <Strip period={period} intervals={verdictIntervals(run, period)} />
        </span>
      ),
    },
    { head: 'Verdict', width: '20%', cell: (run: ArtifactRun) => <Verdict run={run} period={period} /> },
    {
      head: 'Trail',
      width: '16%',
      cell: ({ flow_name: flow, trail_name: trail }: ArtifactRun) =>
        flow === null || trail === null ? (
          'no build reported'
        ) : (
          <span className={styles['trail']}>
            <PageLink page="trail" params={{ org, flow, trail }}>
              <Text>{trail}</Text>
            </PageLink>{' '}
            <span className={styles['quiet']}>
              of <Text>{flow}</Text>
            </span>
          </span>
        ),
    },
    {
      head: 'Commit',
      fit: true,
      width: '7rem',
      cell: ({ git_commit: commit }: ArtifactRun) =>
        commit === null || commit === '' ? (
          '–'
        ) : (
          <Id what="commit" short plain>
            {commit}
          </Id>
        ),
    },
    {
      head: 'Instances',
      fit: true,
      align: 'end' as const,
      width: '6rem',
      cell: ({ instances }: ArtifactRun) => instances?.toLocaleString('en') ?? '–',
    },
  ];
  const shared = { caption: 'Artifacts that ran in the period', rows: runs, columns, keyOf };
  if (runs.length <= MOST_AT_ONCE) return <Table {...shared} />;
  return (
    <Suspense fallback={<Skeleton rows={12} />}>
      <Rows {...shared} />
    </Suspense>
  );
}

const keyOf = ({ fingerprint, name, from }: ArtifactRun): string => `${fingerprint} ${name} ${from}`;

/** One verdict as a state; several in words, oldest first. */
const Verdict = ({ run, period }: { run: ArtifactRun; period: Period }) =>
  run.verdicts.length === 1 ? <State state={stateOfVerdict(run.state)} /> : verdictsText(run, period);
