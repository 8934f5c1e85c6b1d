import type { Environment, Snapshot } from '../client/environments.ts';
import { type StateName, stateOfVerdict } from './states.ts';
import { duration } from './time.ts';
import { count, listed } from './trail.ts';

export type SnapshotArtifact = Snapshot['artifacts'][number];

/** Artifacts that run in a snapshot. An exited one is shown in the answer, but neither counted nor judged. */
export const runningIn = (snapshot: Snapshot): SnapshotArtifact[] =>
  snapshot.artifacts.filter(({ annotation }) => annotation.now > 0);

/** What an environment's page says first. */
export function environmentSentence(environment: Environment, snapshot: Snapshot | undefined, now: number): string {
  if (!snapshot) return 'No report was made yet, so nothing is known of what runs here.';
  const since = duration(now - (environment.last_changed_at ?? snapshot.timestamp));
  const silent = silenceOf(environment, now);
  return `${snapshotSentence(snapshot)} Unchanged for ${since}.${silent}`;
}

/** After this time without a report the page says how old the last one is. There is no rule that says when to worry. */
const QUIET_SECONDS = 3600;

function silenceOf({ last_reported_at: at }: Environment, now: number): string {
  if (at === null || now - at < QUIET_SECONDS) return '';
  return ` The last report is ${duration(now - at)} old.`;
}

/** The verdict of a snapshot and its reason. */
export function snapshotSentence(snapshot: Snapshot): string {
  const running = runningIn(snapshot);
  const failing = running.filter(({ compliant }) => compliant === false);
  const unknown = running.filter(({ compliant }) => compliant === null);
  const [first] = failing;
  if (running.length === 0) return 'Nothing runs here.';
  if (first) {
    const [reason] = first.reasons_for_incompliance;
    const others =
      failing.length === 1
        ? ''
        : ` ${count(failing.length - 1, 'other artifact')} ${failing.length === 2 ? 'is' : 'are'} not compliant either.`;
    return `Not compliant: ${shortName(first.name)} is not compliant${reason === undefined ? '.' : `. ${sentence(reason)}`}${others}`;
  }
  if (unknown.length === 0) return `Compliant: all of ${count(running.length, 'running artifact')}.`;
  const names = listed(unknown.map(({ name }) => shortName(name)));
  if (unknown.length === running.length)
    return `Unknown: no policy judges ${running.length === 1 ? names : 'what runs here'}.`;
  return `Unknown: nothing judges ${names}. The other artifacts are compliant.`;
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** The name of an image without its registry and without a digest behind it. */
export function shortName(name: string): string {
  const [withoutDigest = name] = name.split('@sha256:');
  return withoutDigest.split('/').at(-1) || name;
}

/** An artifact that fails a policy and is compliant nevertheless is on the environment's allow-list. */
export const stateOfArtifact = ({ compliant, policy_decisions: decisions }: SnapshotArtifact): StateName =>
  compliant === true && decisions.some(({ status }) => status === 'NON-COMPLIANT')
    ? 'allowed'
    : stateOfVerdict(compliant);
