import { shortName } from '#shared/base/reasons/artifact-name.ts';
import { useAnswer } from '../../client/live.ts';
import { commitText } from '../../model/commit.ts';
import { stateOfWord } from '../../model/states.ts';
import { listed } from '../../model/words.ts';
import { PageLink } from '../../parts/link/link.tsx';
import { Id } from '../../parts/text/id.tsx';
import { State } from '../../parts/text/state.tsx';
import { Text } from '../../parts/text/text.tsx';
import { Time } from '../../parts/text/time.tsx';
import type { ParamsOf } from '../../routes/params.ts';
import { environmentsOf } from '../model/artifact.ts';
import { neighboursOf } from '../model/neighbours.ts';
import type { Artifact } from '../operations.ts';
import { readNeighbours } from '../routes.ts';
import styles from './artifact.module.css';

/** What the artifact replaced in its flow, and what replaced it. */
export function Neighbours({ params, artifact }: { params: ParamsOf<'artifact'>; artifact: Artifact }) {
  const { before, after, isListed } = neighboursOf(useAnswer(readNeighbours(params)), artifact);
  if (!isListed) {
    return (
      <p className={styles['line']}>
        <span className={styles['quiet']}>The artifact is not among the newest 50 of the flow.</span>
        <PageLink page="artifacts" params={{ org: params.org }} search={{ flow: params.flow }}>
          Artifacts of the flow
        </PageLink>
      </p>
    );
  }
  return (
    <div className={styles['pair']}>
      <Neighbour label="Before it" artifact={before} params={params} none="Nothing: it is the first one." />
      <Neighbour label="After it" artifact={after} params={params} none="Nothing yet: it is the newest one." />
    </div>
  );
}

interface NeighbourProps {
  label: string;
  artifact: Artifact | undefined;
  params: ParamsOf<'artifact'>;
  none: string;
}

function Neighbour({ label, artifact, params: { org, flow }, none }: NeighbourProps) {
  if (!artifact) {
    return (
      <div className={styles['neighbour']}>
        <span className={styles['quiet']}>{label}</span>
        {none}
      </div>
    );
  }
  const { sha1, message } = commitText(artifact.git_commit_info);
  const runs = environmentsOf(artifact.running);
  return (
    <div className={styles['neighbour']}>
      <span className={styles['quiet']}>{label}</span>
      <span className={styles['line']}>
        <PageLink page="artifact" params={{ org, flow, fingerprint: artifact.fingerprint }}>
          <Text>{shortName(artifact.filename) || artifact.template_reference_name}</Text>
        </PageLink>
        <State state={stateOfWord(artifact.state)} />
      </span>
      <span>
        {sha1 !== '' && (
          <Id what="commit" short plain>
            {sha1}
          </Id>
        )}{' '}
        <Text>{message}</Text>
      </span>
      <span className={styles['quiet']}>
        reported <Time at={artifact.created_at} />, {runs.length === 0 ? 'runs nowhere now' : `runs in ${listed(runs)}`}
      </span>
    </div>
  );
}
