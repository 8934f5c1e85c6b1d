import { useAnswer } from '../../client/live.ts';
import { environmentsOf } from '../../model/artifact.ts';
import { stateOfWord } from '../../model/states.ts';
import { count } from '../../model/trail.ts';
import { CommitCell, RunsIn, TrailName } from '../../parts/artifact-cells.tsx';
import { ArtifactName } from '../../parts/artifact-name.tsx';
import { Empty } from '../../parts/empty.tsx';
import { PageLink } from '../../parts/link.tsx';
import { State } from '../../parts/state.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import type { ParamsOf } from '../route.ts';
import styles from './repo.module.css';
import { ARTIFACTS, readArtifacts } from './route.ts';

/** What of the repository runs now. */
export function Running({ params }: { params: ParamsOf<'repo'> }) {
  const { org, repo } = params;
  const artifacts = useAnswer(readArtifacts(params));
  const running = artifacts.filter((artifact) => artifact.running.length > 0);
  const environments = environmentsOf(running.flatMap((artifact) => artifact.running));
  const all = (
    <PageLink page="artifacts" params={{ org }} search={{ repo }}>
      All artifacts of the repository
    </PageLink>
  );
  if (running.length === 0) {
    return (
      <Empty
        sentence={
          artifacts.length === 0
            ? 'Nobody has reported an artifact of this repository.'
            : `None of the newest ${count(artifacts.length, 'artifact')} of this repository runs in an environment.`
        }
        remedy={artifacts.length === 0 ? undefined : all}
      />
    );
  }
  return (
    <div className={styles['stack']}>
      <p className={styles['line']}>
        <span>
          {count(running.length, 'artifact')} of this repository {running.length === 1 ? 'runs' : 'run'} in{' '}
          {count(environments.length, 'environment')}.
        </span>
        {all}
      </p>
      <Table
        caption="What of the repository runs now"
        rows={running}
        keyOf={({ artifact_id: id }) => id}
        columns={[
          {
            head: 'Artifact',
            cell: ({ flow_name: flow, fingerprint, filename, template_reference_name: name }) => (
              <ArtifactName org={org} flow={flow} fingerprint={fingerprint} name={filename || name} />
            ),
          },
          { head: 'State', fit: true, cell: ({ state }) => <State state={stateOfWord(state)} /> },
          { head: 'Runs in', cell: (artifact) => <RunsIn org={org} artifact={artifact} /> },
          {
            head: 'Trail',
            cell: ({ flow_name: flow, trail_name: trail }) => <TrailName org={org} flow={flow} trail={trail} stacked />,
          },
          {
            head: 'Commit',
            wide: true,
            cell: ({ git_commit: sha, git_commit_info: commit }) => <CommitCell commit={commit} sha={sha} />,
          },
          { head: 'Reported', fit: true, cell: ({ created_at: at }) => <Time at={at} show="ago" /> },
        ]}
      />
      {artifacts.length === ARTIFACTS && (
        <p className={styles['quiet']}>Only the newest {ARTIFACTS} artifacts of the repository were looked at.</p>
      )}
    </div>
  );
}
