import { commitText } from '../../model/commit.ts';
import type { StateName } from '../../model/states.ts';
import { duration } from '../../model/time.ts';
import type { Artifact } from '../operations.ts';
import type { EvidenceRow } from './artifact-evidence.ts';
import { runTimesOf } from './artifact-runs.ts';

/** One step on the way of an artifact from its commit to where it runs. */
export interface LaneStep {
  key: string;
  kind: 'commit' | 'build' | 'evidence' | 'environment';
  /** What the step is called: `commit`, `staging`. */
  title: string;
  /** When it happened, in seconds; null if it did not or if nobody reported when. */
  at: number | null;
  /** Seconds since the step before it that has a time; null for the first one and for a step without a time. */
  after: number | null;
  state: StateName | null;
  /** One line: a message, what is missing, since when it runs. */
  says: string;
}

type Draft = Omit<LaneStep, 'after'>;

/**
 * The way of an artifact as steps: commit, report of the build, the last evidence, and the first start in each environment, in the
 * order of their times. A step without a time keeps its usual place.
 *
 * @param evidence what the template asks for and what there is; empty if no trail of the flow has the artifact
 * @param now seconds, for how long it has been running
 */
export function releaseLane(artifact: Artifact, evidence: readonly EvidenceRow[], now: number): LaneStep[] {
  const environments = environmentSteps(artifact, now);
  const steps = [
    commitStep(artifact),
    buildStep(artifact),
    evidenceStep(evidence),
    ...(environments.length === 0 ? [nowhere] : environments),
  ];
  return withTimes(inOrder(steps));
}

const nowhere: Draft = {
  key: 'nowhere',
  kind: 'environment',
  title: 'no environment',
  at: null,
  state: null,
  says: 'No environment has reported it yet.',
};

function commitStep({ git_commit: sha1, git_commit_info: commit }: Artifact): Draft {
  const { message, author } = commitText(commit);
  const at = commit?.['timestamp'];
  const says = [message, author === '' ? '' : `by ${author}`].filter((part) => part !== '').join(', ');
  return {
    key: 'commit',
    kind: 'commit',
    title: 'commit',
    at: typeof at === 'number' ? at : null,
    state: null,
    says: sha1 === '' ? 'The report names no commit.' : says || 'The report says nothing else of the commit.',
  };
}

const buildStep = ({ created_at: at, created_by: by }: Artifact): Draft => ({
  key: 'build',
  kind: 'build',
  title: 'build',
  at,
  state: null,
  says: `reported by ${by}`,
});

/** The first 48 bits of an id are the milliseconds of its making (rules/requests.md#ids). */
const timeOfId = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) / 1000;

const FAILED = new Set<StateName>(['non-compliant', 'dead', 'failed']);

function evidenceStep(rows: readonly EvidenceRow[]): Draft {
  const reported = rows.flatMap(({ attestation }) => attestation ?? []);
  const of = (state: StateName | null, says: string): Draft => ({
    key: 'evidence',
    kind: 'evidence',
    title: 'evidence',
    at: reported.length === 0 ? null : Math.max(...reported.map(timeOfId)),
    state,
    says,
  });
  const failed = rows.filter(({ state }) => FAILED.has(state));
  const missing = rows.filter(({ state }) => state === 'missing');
  if (rows.length === 0) return of(null, 'Nothing is asked for, and nobody reported any.');
  if (failed.length > 0) return of('non-compliant', `${failed.length} of ${rows.length} failed: ${namesOf(failed)}`);
  if (missing.length > 0) return of('missing', `${missing.length} of ${rows.length} missing: ${namesOf(missing)}`);
  return of('compliant', `all ${rows.length} there`);
}

const MOST_NAMES = 3;
function namesOf(rows: readonly EvidenceRow[]): string {
  const names = rows.map(({ name }) => name);
  return names.length > MOST_NAMES ? `${names.slice(0, MOST_NAMES).join(', ')} and more` : names.join(', ');
}

/** The first known start in each environment, and whether it runs there now. */
function environmentSteps({ history }: Artifact, now: number): Draft[] {
  const runs = runTimesOf(history).toReversed();
  const byName = Map.groupBy(runs, ({ environment }) => environment);
  return [...byName].map(([title, own]) => {
    const since = own.find(({ to }) => to === null)?.from;
    const left = own.at(-1)?.to ?? null;
    return {
      key: `environment ${title}`,
      kind: 'environment',
      title,
      at: own.find(({ from }) => from !== null)?.from ?? null,
      state: since === undefined ? 'stopped' : 'running',
      says:
        since === undefined
          ? `left ${left === null ? 'it' : `${duration(now - left)} ago`}`
          : `runs for ${duration(now - (since ?? now))}`,
    };
  });
}

/** Orders steps by time. One without a time stays behind the step before it. */
function inOrder(steps: readonly Draft[]): Draft[] {
  let last = Number.NEGATIVE_INFINITY;
  return steps
    .map((step) => {
      last = step.at ?? last;
      return { step, time: last };
    })
    .toSorted((one, other) => one.time - other.time)
    .map(({ step }) => step);
}

function withTimes(steps: readonly Draft[]): LaneStep[] {
  let last: number | null = null;
  return steps.map((step) => {
    const after: number | null = step.at === null || last === null ? null : step.at - last;
    last = step.at ?? last;
    return { ...step, after };
  });
}

/** How long the whole way took, to the first environment and to the last one; empty if a time is missing. */
export function laneText(steps: readonly LaneStep[]): string {
  const first = steps.find(({ at }) => at !== null);
  const starts = steps.filter(({ kind, at }) => kind === 'environment' && at !== null);
  if (first?.at == null || first.kind === 'environment' || starts.length === 0) return '';
  const from = first.at;
  const parts = starts.map(({ title, at }) => `${title} ${duration((at ?? from) - from)}`);
  return `From the ${first.title} to ${parts.join(', ')}.`;
}
