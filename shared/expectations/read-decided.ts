import type { Fingerprint, OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { type DecisionSubject, readDecisions, type StoredDecision } from '#shared/controls/records/decisions.ts';
import type { EnvironmentEvent } from '#shared/environments/records/environment-events.ts';
import { readFlowPresencesOf } from '#shared/evidence/records/artifact-records.ts';
import type { Table } from '#shared/table/table.ts';
import type { Expectation } from './rules/expectation.ts';
import { decidedAt } from './rules/judge-once.ts';

/** An artifact that started in an environment. */
export interface StartedArtifact {
  fingerprint: Fingerprint;
  at: Micros;
  /** Where its report was made; null without provenance. */
  origin: EnvironmentEvent['origin'];
}

/**
 * Reads when artifacts that started had a compliant decision about the control of an expectation (rules/expectations.md#decisions-in-time).
 * Decisions on the fingerprint count, and those on the trails that reported it: the latest one of each flow, and the one of the start.
 *
 * @returns in the order of `starts`; null for those without
 */
export async function readDecided(
  table: Table,
  org: OrganizationId,
  { control = '' }: Pick<Expectation, 'control'>,
  starts: readonly StartedArtifact[],
): Promise<(Micros | null)[]> {
  const fingerprints = [...new Set(starts.map(({ fingerprint }) => fingerprint))];
  const found = await readFlowPresencesOf(table, org, fingerprints);
  const presences = new Map(fingerprints.map((fingerprint, i) => [fingerprint, found[i] ?? []]));
  const candidates = starts.map(({ fingerprint, origin }): Map<string, DecisionSubject> => {
    const trails = [...(presences.get(fingerprint) ?? []), ...(origin ? [origin] : [])];
    return new Map<string, DecisionSubject>([
      [fingerprint, { fingerprint }],
      ...trails.map(({ flow, trail }): [string, DecisionSubject] => [`${flow}#${trail}`, { flow, trail }]),
    ]);
  });
  const subjects = [...new Map(candidates.flatMap((ones) => [...ones]))];
  const read = await readDecisions(
    table,
    org,
    subjects.map(([, about]) => ({ control, about })),
  );
  const decisions = new Map(subjects.map(([key], i) => [key, read[i] ?? []]));
  return starts.map(({ at }, i) => {
    const keys = [...(candidates[i]?.keys() ?? [])];
    return decidedAt(inOrder(keys.flatMap((key) => decisions.get(key) ?? [])), at);
  });
}

/** The oldest first. The id of the entry orders decisions of one millisecond. */
const inOrder = (decisions: readonly StoredDecision[]): StoredDecision[] =>
  decisions.toSorted((one, other) => (one.entry < other.entry ? -1 : 1));
