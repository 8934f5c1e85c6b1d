import { CatchBoundary } from '@tanstack/react-router';
import { Suspense } from 'react';
import { useAnswer } from '../client/live.ts';
import { stateOfWord } from '../model/states.ts';
import { PageLink } from '../parts/link/link.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { Table } from '../parts/table/table.tsx';
import { Id } from '../parts/text/id.tsx';
import { State } from '../parts/text/state.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time, useNow } from '../parts/text/time.tsx';
import { ArtifactName } from '../release/artifact-name.tsx';
import { runsText, runTimesOf } from '../release/model/artifact-runs.ts';
import { byPresence } from './model/search-results.ts';
import type { FoundArtifact } from './operations.ts';
import { readDigest } from './routes.ts';
import styles from './search.module.css';

interface DigestProps {
  org: string;
  /** The beginning of a fingerprint or of a commit. */
  sha: string;
}

/** Where the artifact runs, if the text fits only one. */
export const DigestSentence = (props: DigestProps) => (
  <CatchBoundary getResetKey={() => props.sha} errorComponent={() => null}>
    <Suspense fallback={null}>
      <RunsSentence {...props} />
    </Suspense>
  </CatchBoundary>
);

function RunsSentence(props: DigestProps) {
  const now = useNow();
  const { artifacts } = useAnswer(readDigest(props.org, props.sha));
  const [first] = artifacts;
  if (!first || artifacts.some(({ fingerprint }) => fingerprint !== first.fingerprint)) return null;
  const origin = first.has_provenance ? '' : 'Nobody reported a build of it. ';
  return <Text>{origin + runsText(runTimesOf(first.history), now)}</Text>;
}

/** The artifacts with a digest: those that run now, those that ran, and those that were reported only. */
export function FoundArtifacts(props: DigestProps) {
  const { org, sha } = props;
  const { artifacts } = useAnswer(readDigest(org, sha));
  return byPresence(artifacts).map(({ title, artifacts: some }) => (
    <Panel key={title} title={title}>
      <Table
        caption={title}
        rows={some}
        keyOf={({ fingerprint, flow }) => `${fingerprint} ${flow}`}
        columns={[
          {
            head: 'Artifact',
            cell: ({ name, fingerprint, flow }) => (
              <ArtifactName org={org} name={name} fingerprint={fingerprint} flow={flow === '' ? null : flow} />
            ),
          },
          {
            head: 'State',
            fit: true,
            cell: ({ has_provenance: isReported, compliance_state: word }) =>
              isReported ? <State state={stateOfWord(word)} /> : <State state="unknown">No provenance</State>,
          },
          {
            head: 'Flow',
            cell: ({ flow }) =>
              flow === '' ? (
                'no flow has a report of it'
              ) : (
                <PageLink page="flow" params={{ org, flow }}>
                  <Text>{flow}</Text>
                </PageLink>
              ),
          },
          { head: 'Runs in', cell: (artifact) => <Runs org={org} artifact={artifact} /> },
          {
            head: 'Commit',
            fit: true,
            cell: ({ git_commit: commit }) =>
              commit === '' ? (
                '–'
              ) : (
                <Id what="commit" short plain>
                  {commit}
                </Id>
              ),
          },
        ]}
      />
    </Panel>
  ));
}

/** Since when it runs where, or when it left. Each leads to the snapshot. */
function Runs({ org, artifact }: { org: string; artifact: FoundArtifact }) {
  const runs = runTimesOf(artifact.history);
  if (runs.length === 0) return 'nowhere';
  return (
    <ul>
      {runs.map(({ environment: env, from, to, started, stopped }) => (
        <li key={`${env} ${started} ${stopped}`}>
          <PageLink page="environment" params={{ org, env }}>
            <Text>{env}</Text>
          </PageLink>{' '}
          <span className={styles['quiet']}>
            {to === null ? 'since ' : 'until '}
            <PageLink page="snapshot" params={{ org, env, expression: String(to === null ? started : stopped) }}>
              <Time at={to ?? from} />
            </PageLink>
          </span>
        </li>
      ))}
    </ul>
  );
}
