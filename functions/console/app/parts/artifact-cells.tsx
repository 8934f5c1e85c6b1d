import type { Artifact } from '../client/flows.ts';
import { environmentsOf } from '../model/artifact.ts';
import { commitText } from '../model/commit.ts';
import styles from './artifact-cells.module.css';
import { Id } from './id.tsx';
import { PageLink } from './link.tsx';
import { Text } from './text.tsx';

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

export function RunsIn({ org, artifact }: { org: string; artifact: Pick<Artifact, 'running'> }) {
  const environments = environmentsOf(artifact.running);
  if (environments.length === 0) return <span className={styles['quiet']}>nowhere</span>;
  return environments.map((env, n) => (
    <span key={env}>
      {n > 0 && ', '}
      <PageLink page="environment" params={{ org, env }}>
        <Text>{env}</Text>
      </PageLink>
    </span>
  ));
}
