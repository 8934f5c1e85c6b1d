import { useAnswer } from '../../client/live.ts';
import { duration } from '../../model/time.ts';
import { PageLink } from '../../parts/link/link.tsx';
import { Id } from '../../parts/text/id.tsx';
import { State } from '../../parts/text/state.tsx';
import { Text } from '../../parts/text/text.tsx';
import { Time, useNow } from '../../parts/text/time.tsx';
import type { ParamsOf } from '../../routes/params.ts';
import { evidenceOf } from '../model/artifact-evidence.ts';
import { type LaneStep, laneText, releaseLane } from '../model/release-lane.ts';
import type { Artifact } from '../operations.ts';
import { readTrails } from '../routes.ts';
import styles from './release-lane.module.css';

/**
 * The way of an artifact on one line: commit, build, evidence, environments, with the time between them. It is a list, so that it can be
 * read aloud, printed, and shown below one another in a narrow window.
 */
export function ReleaseLane({ params, artifact }: { params: ParamsOf<'artifact'>; artifact: Artifact }) {
  const now = useNow();
  const found = useAnswer(readTrails(params)).data.find(({ name }) => name === artifact.trail_name);
  const steps = releaseLane(artifact, found ? evidenceOf(found, params.fingerprint) : [], now);
  const text = laneText(steps);
  return (
    <>
      {text !== '' && (
        <p>
          <Text>{text}</Text>
        </p>
      )}
      <ol className={styles['lane']}>
        {steps.map((step, n) => (
          <li key={step.key} className={styles['step']}>
            <Line step={step} next={steps[n + 1]} />
            <div className={styles['facts']}>
              <span className={styles['title']}>
                <Title step={step} params={params} artifact={artifact} />
              </span>
              <span className={styles['quiet']}>
                <Time at={step.at} never={step.key === 'nowhere' ? '' : 'time not known'} />
              </span>
              {step.state !== null && <State state={step.state} />}
              <span className={styles['quiet']}>
                <Text>{step.says}</Text>
              </span>
            </div>
          </li>
        ))}
      </ol>
    </>
  );
}

/** The point of a step, and the line to the next one with the time between them. */
function Line({ step, next }: { step: LaneStep; next: LaneStep | undefined }) {
  return (
    <div className={styles['way']}>
      <svg aria-hidden="true" className={styles['line']} viewBox="0 0 100 12" preserveAspectRatio="none">
        {next && (
          <line
            x1="0"
            y1="6"
            x2="100"
            y2="6"
            vectorEffect="non-scaling-stroke"
            strokeDasharray={next.at === null ? '3 3' : undefined}
          />
        )}
      </svg>
      <svg aria-hidden="true" className={styles['point']} viewBox="0 0 12 12">
        <circle cx="6" cy="6" r="4.5" fill={step.at === null ? 'none' : 'currentColor'} />
      </svg>
      {next?.after != null && (
        <span className={styles['after']}>
          <span className="visually-hidden">next step after </span>
          {duration(next.after)}
        </span>
      )}
    </div>
  );
}

function Title({ step, params, artifact }: { step: LaneStep; params: ParamsOf<'artifact'>; artifact: Artifact }) {
  const { org, flow } = params;
  switch (step.kind) {
    case 'commit':
      return (
        <>
          {step.title}{' '}
          {artifact.git_commit !== '' && (
            <Id what="commit" short plain>
              {artifact.git_commit}
            </Id>
          )}
        </>
      );
    case 'build':
      return step.title;
    case 'evidence':
      return (
        <PageLink page="trail" params={{ org, flow, trail: artifact.trail_name }}>
          {step.title}
        </PageLink>
      );
    case 'environment':
      return step.key === 'nowhere' ? (
        step.title
      ) : (
        <PageLink page="environment" params={{ org, env: step.title }}>
          <Text>{step.title}</Text>
        </PageLink>
      );
  }
}
