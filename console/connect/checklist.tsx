import { useAnswer, useLiveAnswer, useRefreshOn } from '../client/live.ts';
import { pageOfEnvironments } from '../environment/model/environment-list.ts';
import { environments as listEnvironments } from '../environment/operations.ts';
import { newestTrails } from '../organization/operations.ts';
import { readFirstTrails, readHomeEnvironments } from '../organization/routes.ts';
import { PageLink } from '../parts/link/link.tsx';
import { Waiting } from '../parts/page/panel.tsx';
import { State } from '../parts/text/state.tsx';
import { Text } from '../parts/text/text.tsx';
import styles from './connect.module.css';
import { type Progress, progressOf, progressSentence } from './model/progress.ts';

/** Seconds between two reads while something is still to come. */
const SOON = 3;

/** What was reported so far. It repeats one call: that of the trails until an artifact is there, then that of the environments. */
export const Checklist = ({ org }: { org: string }) => (
  // As high as its content, so that what stands below does not move when the answer comes.
  <div className={styles['progress']}>
    <Waiting rows={4}>
      <Present org={org} />
    </Waiting>
  </div>
);

function Present({ org }: { org: string }) {
  const { artifact } = progressOf(useAnswer(readFirstTrails(org)).data, []);
  return artifact === undefined ? <WaitingForArtifact org={org} /> : <WaitingForSnapshot org={org} />;
}

function WaitingForArtifact({ org }: { org: string }) {
  const { data: trails } = useLiveAnswer(readFirstTrails(org), SOON);
  const { environments } = pageOfEnvironments(useAnswer(readHomeEnvironments(org)));
  useRefreshOn(trails.length, [[listEnvironments.path, { org }]]);
  return <Steps org={org} progress={progressOf(trails, environments)} />;
}

function WaitingForSnapshot({ org }: { org: string }) {
  const { data: trails } = useAnswer(readFirstTrails(org));
  const answer = useLiveAnswer(readHomeEnvironments(org), SOON);
  const { environments } = pageOfEnvironments(answer);
  useRefreshOn(environments.length, [[newestTrails.path, { org }]]);
  return <Steps org={org} progress={progressOf(trails, environments)} />;
}

function Steps({ org, progress }: { org: string; progress: Progress }) {
  const { trail, artifact, snapshot, compliant } = progress;
  return (
    <>
      <p role="status">
        <Text>{progressSentence(progress)}</Text>
      </p>
      <ol className={styles['checklist']}>
        <Step isDone={trail !== undefined} what="A trail began">
          {trail && (
            <PageLink page="trail" params={{ org, ...trail }}>
              <Text>{trail.trail}</Text>
            </PageLink>
          )}
        </Step>
        <Step isDone={artifact !== undefined} what="An artifact was reported">
          {artifact && (
            <PageLink page="artifact" params={{ org, flow: artifact.flow, fingerprint: artifact.fingerprint }}>
              <Text>{artifact.name}</Text>
            </PageLink>
          )}
        </Step>
        <Step isDone={snapshot !== undefined} what="An environment reported a snapshot">
          {snapshot && (
            <PageLink page="environment" params={{ org, ...snapshot }}>
              <Text>{snapshot.env}</Text>
            </PageLink>
          )}
        </Step>
        <Step isDone={compliant !== undefined} what="A snapshot is compliant">
          {compliant && (
            <PageLink page="environment" params={{ org, ...compliant }}>
              <Text>{compliant.env}</Text>
            </PageLink>
          )}
        </Step>
      </ol>
    </>
  );
}

const Step = ({ isDone, what, children }: { isDone: boolean; what: string; children: React.ReactNode }) => (
  <li>
    <State state={isDone ? 'compliant' : 'missing'}>{isDone ? 'Done' : 'Waiting'}</State>
    <span>{what}</span>
    <span>{children}</span>
  </li>
);
