import type { Fingerprint, FlowId, Id } from '#shared/base/ids.ts';
import type { TrailName } from '#shared/base/names.ts';
import type { Duration, Micros } from '#shared/base/time.ts';
import type { IndexRange } from './interval.ts';
import { artifactKey, compareText } from './running.ts';

/** What ran in an environment during a period (rules/environments.md#history). */

/** An artifact as a snapshot or an event shows it. */
export interface HistoryFacts {
  name: string;
  fingerprint: Fingerprint | '';
  /** Null = unknown. */
  compliant: boolean | null;
  /** Name of the primary flow at the time; null without provenance. */
  flow: string | null;
  /** Id of the report in the primary flow. */
  report: Id | null;
  /** Where the report was made; null without provenance. */
  origin: { flow: FlowId; trail: TrailName; commit: string } | null;
  /** Null if an event does not tell. */
  instances: number | null;
}

/** A change of an artifact that ran in the period. */
export interface HistoryChange extends HistoryFacts {
  type: string;
  at: Micros;
}

/** A time with one verdict. `from` is null if it began before the period, `to` is null if it goes on at its end. */
interface VerdictInterval {
  state: boolean | null;
  from: Micros | null;
  to: Micros | null;
}

/** One uninterrupted time in which an artifact ran. Facts are the latest of the period. */
export interface ArtifactRun extends HistoryFacts {
  from: Micros | null;
  to: Micros | null;
  /** Ascending, without gaps. Neighbours differ. */
  verdicts: VerdictInterval[];
}

/**
 * Follows the artifacts of an environment through a period.
 *
 * @param before what ran when the period began
 * @param changes the events of the period, ascending
 * @returns runs by begin, then by name and fingerprint; those that began before the period come first
 */
export function artifactRuns(before: readonly HistoryFacts[], changes: readonly HistoryChange[]): ArtifactRun[] {
  const runs: ArtifactRun[] = [];
  const open = new Map<string, ArtifactRun>();
  const begin = (facts: HistoryFacts, from: Micros | null): ArtifactRun => {
    const { name, fingerprint, compliant, flow, report, origin, instances } = facts;
    const verdicts = [{ state: compliant, from, to: null }];
    const known = { name, fingerprint, compliant, flow, report, origin, instances };
    const run: ArtifactRun = { ...known, from, to: null, verdicts };
    runs.push(run);
    open.set(artifactKey(facts), run);
    return run;
  };
  for (const facts of before) begin(facts, null);
  for (const change of changes) {
    const key = artifactKey(change);
    const known = open.get(key);
    if (change.type === 'started') begin(change, change.at);
    // Without the content of the first snapshot, the first event shows that the artifact ran already.
    else if (change.type === 'exited') close(known ?? begin(change, null), change.at);
    else update(known ?? begin(change, null), change);
    if (change.type === 'exited') open.delete(key);
  }
  return runs.sort(
    (a, b) => (a.from ?? 0) - (b.from ?? 0) || compareText(a.name, b.name) || compareText(a.fingerprint, b.fingerprint),
  );
}

function close(run: ArtifactRun, at: Micros): void {
  run.to = at;
  const last = run.verdicts.at(-1);
  if (last) last.to = at;
}

function update(run: ArtifactRun, { at, compliant, flow, report, origin, instances }: HistoryChange): void {
  run.flow = flow;
  run.report = report;
  run.origin = origin;
  run.instances = instances ?? run.instances;
  const last = run.verdicts.at(-1);
  if (last?.state === compliant) return;
  if (last) last.to = at;
  run.compliant = compliant;
  run.verdicts.push({ state: compliant, from: at, to: null });
}

/** Sums over all runs of a period, in microseconds. An artifact with several runs counts once. */
export function historyTotals(runs: readonly ArtifactRun[], period: IndexRange) {
  const states = new Map<string, Set<boolean | null>>();
  for (const run of runs) {
    const seen = states.get(artifactKey(run)) ?? new Set();
    for (const { state } of run.verdicts) seen.add(state);
    states.set(artifactKey(run), seen);
  }
  const all = [...states.values()];
  const nonCompliant = all.filter((seen) => seen.has(false)).length;
  const unknown = all.filter((seen) => seen.has(null) && !seen.has(false)).length;
  return {
    artifacts: all.length,
    runs: runs.length,
    alwaysCompliant: all.length - nonCompliant - unknown,
    /** Artifacts that were not compliant for some time. */
    nonCompliant,
    /** Artifacts of unknown verdict for some time that were never non-compliant. */
    unknown,
    /** Time in which at least one artifact ran that was not compliant. */
    nonCompliantTime: timeCovered(
      runs
        .flatMap(({ verdicts }) => verdicts.filter(({ state }) => state === false))
        .map(({ from, to }) => ({ from: from ?? period.from, to: to ?? period.to })),
    ),
  };
}

/** The time that intervals cover together; times that several of them cover count once. */
function timeCovered(intervals: readonly IndexRange[]): Duration {
  let covered = 0;
  let end = Number.NEGATIVE_INFINITY;
  for (const { from, to } of intervals.toSorted((a, b) => a.from - b.from)) {
    covered += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return covered;
}
