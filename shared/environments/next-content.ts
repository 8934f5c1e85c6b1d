import { snapshotVerdict } from '#shared/policies/rules/verdicts.ts';
import { type AttachedPolicy, appliedPolicies } from './attached-policies.ts';
import type { Evaluation } from './evaluate.ts';
import { compareRunning } from './rules/compare.ts';
import type { Replaced, SnapshotContent, SnapshotRow } from './rules/content.ts';
import { artifactKey, type RunningArtifact, runningSetDigest } from './rules/running.ts';

/** A snapshot as the rules made it; number, time and hash are given when it is committed. */
export interface SnapshotDraft {
  content: SnapshotContent;
  /** Of the environment; null = unknown. */
  state: boolean | null;
  compliant: boolean;
  /** How many events it has. */
  events: number;
  /** Of the running set. */
  digest: string;
}

/** The rows that ran in a snapshot: those of artifacts that had just stopped are only shown (semantics §5.5). */
export const runningRows = ({ rows }: Pick<SnapshotContent, 'rows'>): SnapshotRow[] =>
  rows.filter(({ annotation }) => annotation.now > 0);

/**
 * The snapshot that follows on another.
 * @param before content of the newest snapshot; null = none yet
 * @param now what runs, evaluated
 * @returns also whether it differs in anything that carries compliance meaning (semantics §5.3)
 */
export function nextSnapshot(
  before: SnapshotContent | null,
  now: readonly (RunningArtifact & Evaluation)[],
  policies: readonly AttachedPolicy[],
): SnapshotDraft & { needed: boolean } {
  const ran = before && runningRows(before);
  const comparison = compareRunning<Omit<SnapshotRow, 'annotation'>>(ran, withReplaced(ran ?? [], now));
  const rows = [...comparison.running, ...comparison.exited].map(({ row, annotation }) => ({ ...row, annotation }));
  const verdicts = now.map(({ compliant }) => compliant);
  return {
    content: { rows, policies: appliedPolicies(policies) },
    ...snapshotVerdict(verdicts, policies.length > 0),
    events: comparison.events.length,
    digest: runningSetDigest(now),
    needed: comparison.needsSnapshot,
  };
}

/** Artifacts with what they took the place of: found when they start, and kept while they run. */
function withReplaced<A extends RunningArtifact & Evaluation>(
  ran: readonly SnapshotRow[],
  now: readonly A[],
): (A & Pick<SnapshotRow, 'replaced'>)[] {
  const before = new Map(ran.map((row) => [artifactKey(row), row]));
  const current = new Set(now.map(artifactKey));
  const predecessors = predecessorsBySlot(ran, (row) => current.has(artifactKey(row)));
  return now.map((artifact) => ({
    ...artifact,
    replaced: before.get(artifactKey(artifact))?.replaced ?? replacedBy(artifact, predecessors),
  }));
}

const slotKey = ({ flow, slot }: { flow: string; slot: string }): string => `${flow}#${slot}`;

/** By flow and template name: first what stopped, then what still runs; of each the one that had started last first. */
function predecessorsBySlot(
  ran: readonly SnapshotRow[],
  stillRuns: (row: SnapshotRow) => boolean,
): Map<string, Replaced[]> {
  const startOf = ({ started }: SnapshotRow) => started.at(-1) ?? 0;
  const ordered = ran.toSorted((a, b) => Number(stillRuns(a)) - Number(stillRuns(b)) || startOf(b) - startOf(a));
  const bySlot = new Map<string, Replaced[]>();
  for (const row of ordered) {
    for (const place of row.flows) {
      const { fingerprint, name, compliant } = row;
      const { trailName, slot, report } = place;
      const known = bySlot.get(slotKey(place)) ?? [];
      known.push({ fingerprint, name, compliant, running: stillRuns(row), trailName, slot, report });
      bySlot.set(slotKey(place), known);
    }
  }
  return bySlot;
}

function replacedBy(
  { fingerprint, flows }: RunningArtifact & Evaluation,
  predecessors: ReadonlyMap<string, readonly Replaced[]>,
): Record<string, Replaced> {
  const replaced: Record<string, Replaced> = {};
  for (const place of flows) {
    const one = predecessors.get(slotKey(place))?.find((other) => other.fingerprint !== fingerprint);
    if (one) replaced[place.flow] = one;
  }
  return replaced;
}
