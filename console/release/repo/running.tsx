import { useAnswer } from '../../client/live.ts';
import { count } from '../../model/words.ts';
import { PageLink } from '../../parts/link/link.tsx';
import { Empty } from '../../parts/page/empty.tsx';
import { Table } from '../../parts/table/table.tsx';
import type { ParamsOf } from '../../routes/params.ts';
import { artifactColumns } from '../artifact-cells.tsx';
import { environmentsOf } from '../model/artifact.ts';
import { ARTIFACTS, readArtifactsOfRepo } from '../routes.ts';
import styles from './repo.module.css';

/** What of the repository runs now. */
export function Running({ params }: { params: ParamsOf<'repo'> }) {
  const { org, repo } = params;
  const artifacts = useAnswer(readArtifactsOfRepo(params));
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
  const { artifact, state, trail, commit, runsIn, reported } = artifactColumns(org);
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
        columns={[artifact, state, runsIn, trail, commit, reported]}
      />
      {artifacts.length === ARTIFACTS && (
        <p className={styles['quiet']}>Only the newest {ARTIFACTS} artifacts of the repository were looked at.</p>
      )}
    </div>
  );
}
