import type { Micros } from '#shared/base/time.ts';
import { type ComplianceCount, snapshotVerdict } from '#shared/policies/rules/verdicts.ts';
import { type AttachedPolicy, appliedPolicies } from './attached-policies.ts';
import { type Evaluation, earliestEnd } from './evaluate.ts';
import { compareRunning } from './rules/compare.ts';
import { isRunning, type Replaced, type SnapshotContent, type SnapshotRow } from './rules/content.ts';
import { artifactKey, type RunningArtifact, runningSetDigest } from './rules/running.ts';

/** A snapshot before it gets number, time and hash. */
export interface SnapshotDraft {
  content: SnapshotContent;
  /** State of the environment; null = unknown. */
  state: boolean | null;
  compliant: boolean;
  events: number;
  digest: string;
  /** Number of running artifacts by verdict, for a content that does not hold all rows; null if nobody counted. */
  counts?: ComplianceCount | null;
  /** The last instant at which age alone changes no verdict of what runs; null = age changes none (rules/policies.md#max-age). */
  freshUntil: Micros | null;
}

/** The rows of a snapshot that run. The others show artifacts that exited with it (rules/environments.md#annotations). */
export const runningRows = ({ rows }: Pick<SnapshotContent, 'rows'>): SnapshotRow[] => rows.filter(isRunning);

/**
 * Drafts the snapshot that follows on the newest one.
 * @param before content of the newest snapshot; null = there is none
 * @param now what runs, evaluated
 * @returns the draft, and `needed`: whether it differs in a way that matters (rules/environments.md#new-snapshot)
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
    freshUntil: earliestEnd(now),
  };
}

/** Adds what each artifact replaced: determined when it starts, kept while it runs (rules/environments.md#deployment-diff). */
function withReplaced<A extends RunningArtifact & Evaluation>(ran: readonly SnapshotRow[], now: readonly A[]) {
  const before = new Map(ran.map((row) => [artifactKey(row), row]));
  const current = new Set(now.map(artifactKey));
  const predecessors = predecessorsBySlot(ran, (row) => current.has(artifactKey(row)));
  return now.map(({ freshUntil: _, ...artifact }) => ({
    ...artifact,
    replaced: before.get(artifactKey(artifact))?.replaced ?? replacedBy(artifact, predecessors),
  }));
}

const slotKey = ({ flow, slot }: { flow: string; slot: string }): string => `${flow}#${slot}`;

/**
 * Candidates per flow and template name: first the rows that stopped, then those that still run, both with the latest
 * start first.
 */
function predecessorsBySlot(ran: readonly SnapshotRow[], stillRuns: (row: SnapshotRow) => boolean) {
  const startOf = ({ started }: SnapshotRow) => started.at(-1) ?? 0;
  const ordered = ran.toSorted((a, b) => Number(stillRuns(a)) - Number(stillRuns(b)) || startOf(b) - startOf(a));
  const bySlot = new Map<string, Replaced[]>();
  for (const row of ordered) {
    for (const place of row.flows) {
      const { fingerprint, name, compliant } = row;
      const { trailName, slot, report, commit } = place;
      const known = bySlot.get(slotKey(place)) ?? [];
      known.push({ fingerprint, name, compliant, running: stillRuns(row), trailName, slot, report, commit });
      bySlot.set(slotKey(place), known);
    }
  }
  return bySlot;
}

function replacedBy(
  { fingerprint, flows }: Pick<RunningArtifact & Evaluation, 'fingerprint' | 'flows'>,
  predecessors: ReadonlyMap<string, readonly Replaced[]>,
): Record<string, Replaced> {
  const replaced: Record<string, Replaced> = {};
  for (const place of flows) {
    const one = predecessors.get(slotKey(place))?.find((other) => other.fingerprint !== fingerprint);
    if (one) replaced[place.flow] = one;
  }
  return replaced;
}
