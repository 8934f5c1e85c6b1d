import { commitText } from '../model/commit.ts';
import { stateOfWord } from '../model/states.ts';
import { PageLink } from '../parts/link/link.tsx';
import { EnvironmentLinks } from '../parts/link/name-links.tsx';
import type { Column } from '../parts/table/table.tsx';
import { Id } from '../parts/text/id.tsx';
import { State } from '../parts/text/state.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import styles from './artifact-cells.module.css';
import { ArtifactName } from './artifact-name.tsx';
import { environmentsOf } from './model/artifact.ts';
import type { Artifact } from './operations.ts';

/** Cells that several tables of artifacts and builds have. */

interface TrailNameProps {
  org: string;
  flow: string;
  trail: string;
  /** Puts the flow below the trail, where the other cells of the row have two lines, too. */
  stacked?: boolean;
}

export const TrailName = ({ org, flow, trail, stacked = false }: TrailNameProps) => (
  <>
    <PageLink page="trail" params={{ org, flow, trail }}>
      <Text>{trail}</Text>
    </PageLink>{' '}
    <span className={styles[stacked ? 'below' : 'quiet']}>
      of <Text>{flow}</Text>
    </span>
  </>
);

export function CommitCell({ commit, sha }: { commit: Readonly<Record<string, unknown>> | null; sha: string }) {
  const { message, author } = commitText(commit);
  if (sha === '') return '–';
  return (
    <>
      <Text>{message}</Text>
      <span className={styles['below']}>
        <Id what="commit" short plain>
          {sha}
        </Id>{' '}
        <Text>{author}</Text>
      </span>
    </>
  );
}

function RunsIn({ org, artifact }: { org: string; artifact: Pick<Artifact, 'running'> }) {
  const environments = environmentsOf(artifact.running);
  if (environments.length === 0) return <span className={styles['quiet']}>nowhere</span>;
  return <EnvironmentLinks org={org} environments={environments} />;
}

/** Columns of tables of artifacts. A table chooses their order. */
export const artifactColumns = (org: string) =>
  ({
    artifact: {
      head: 'Artifact',
      cell: ({ flow_name: flow, fingerprint, filename, template_reference_name: name }) => (
        <ArtifactName org={org} flow={flow} fingerprint={fingerprint} name={filename || name} />
      ),
    },
    state: { head: 'State', fit: true, cell: ({ state }) => <State state={stateOfWord(state)} /> },
    trail: {
      head: 'Trail',
      cell: ({ flow_name: flow, trail_name: trail }) => <TrailName org={org} flow={flow} trail={trail} stacked />,
    },
    commit: {
      head: 'Commit',
      wide: true,
      cell: ({ git_commit: sha, git_commit_info: commit }) => <CommitCell commit={commit} sha={sha} />,
    },
    runsIn: { head: 'Runs in', cell: (artifact) => <RunsIn org={org} artifact={artifact} /> },
    reported: { head: 'Reported', fit: true, cell: ({ created_at: at }) => <Time at={at} show="ago" /> },
  }) satisfies Record<string, Column<Artifact>>;
