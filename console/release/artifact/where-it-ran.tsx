import { duration } from '../../model/time.ts';
import { OutLink, PageLink } from '../../parts/link/link.tsx';
import { Empty } from '../../parts/page/empty.tsx';
import { type Lane, Lanes } from '../../parts/plot/lanes.tsx';
import { type Column, Table } from '../../parts/table/table.tsx';
import { Text } from '../../parts/text/text.tsx';
import { Time, useNow } from '../../parts/text/time.tsx';
import { ArtifactName } from '../artifact-name.tsx';
import { type RunTime, runsText, runTimesOf, startOf } from '../model/artifact-runs.ts';
import type { Artifact, LastStart } from '../operations.ts';
import styles from './artifact.module.css';

interface WhereItRanProps {
  org: string;
  history: Artifact['history'];
  /** When the artifact was reported, in seconds. The lanes begin there, or at the first start. */
  reported: number;
  /** The last start in each environment; absent for an artifact that nobody reported. */
  starts?: readonly LastStart[] | undefined;
}

/** A lane for each environment in which the artifact ran, and the same as a table. */
export function WhereItRan({ org, history, reported, starts = [] }: WhereItRanProps) {
  const now = useNow();
  const runs = runTimesOf(history);
  if (runs.length === 0) {
    return (
      <Empty
        sentence="No environment has reported this artifact."
        remedy="It appears here when a reporter finds its digest running."
      />
    );
  }
  const from = Math.min(reported, ...runs.map((run) => run.from ?? run.to ?? reported));
  return (
    <div className={styles['stack']}>
      <p>
        <Text>{runsText(runs, now)}</Text>
      </p>
      <Lanes period={{ from, to: Math.max(now, from + 60) }} lanes={lanesOf(org, runs, from, now)} />
      <Table
        caption="When the artifact ran where"
        rows={runs}
        keyOf={({ environment, started, stopped }) => `${environment} ${started} ${stopped}`}
        columns={[
          {
            head: 'Environment',
            fit: true,
            cell: ({ environment: env }) => (
              <PageLink page="environment" params={{ org, env }} strong row>
                <Text>{env}</Text>
              </PageLink>
            ),
          },
          { head: 'From', fit: true, cell: ({ from: at }) => <Time at={at} never="not known" /> },
          { head: 'To', fit: true, cell: ({ to }) => <Time at={to} never="runs now" /> },
          {
            head: 'Snapshots',
            cell: ({ environment: env, started, stopped }) => (
              <>
                {started !== null && <Snapshot org={org} env={env} index={started} />}
                {stopped !== null && (
                  <>
                    {' '}
                    to <Snapshot org={org} env={env} index={stopped} />
                  </>
                )}
              </>
            ),
          },
          ...(starts.length === 0 ? [] : [leadTimeColumn(starts), replacedColumn(org, starts)]),
        ]}
      />
    </div>
  );
}

const leadTimeColumn = (starts: readonly LastStart[]): Column<RunTime> => ({
  head: 'After the commit',
  fit: true,
  align: 'end',
  cell: (run) => {
    const seconds = startOf(run, starts)?.lead_time ?? null;
    return seconds === null ? '–' : duration(seconds);
  },
});

/** What ran before it in the environment. The differences are those of the code, and of everything that ran. */
const replacedColumn = (org: string, starts: readonly LastStart[]): Column<RunTime> => ({
  head: 'It replaced',
  cell: (run) => {
    const start = startOf(run, starts);
    if (!start) return '–';
    const { environment_name: env, snapshot_index: index, replaced, code_diff: diff } = start;
    return (
      <span className={styles['line']}>
        {replaced === null ? (
          <span className={styles['quiet']}>nothing known</span>
        ) : (
          <ArtifactName
            org={org}
            flow={replaced.flow_name}
            fingerprint={replaced.fingerprint}
            name={replaced.name || replaced.fingerprint}
          />
        )}
        {diff !== null && <OutLink href={diff}>code</OutLink>}
        {index > 1 && (
          <PageLink page="compare" params={{ org }} search={{ a: `${env}#${index - 1}`, b: `${env}#${index}` }}>
            compare snapshots
          </PageLink>
        )}
      </span>
    );
  },
});

function lanesOf(org: string, runs: readonly RunTime[], begin: number, now: number): Lane[] {
  const environments = [...new Set(runs.map(({ environment }) => environment))];
  return environments.map((env) => ({
    key: env,
    label: (
      <PageLink page="environment" params={{ org, env }}>
        <Text>{env}</Text>
      </PageLink>
    ),
    intervals: runs
      .filter(({ environment }) => environment === env)
      .map(({ from, to }) => ({ from: from ?? begin, to: to ?? now, state: to === null ? 'running' : 'stopped' })),
  }));
}

const Snapshot = ({ org, env, index }: { org: string; env: string; index: number }) => (
  <PageLink page="snapshot" params={{ org, env, expression: String(index) }}>
    #{index}
  </PageLink>
);
