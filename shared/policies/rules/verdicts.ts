import type { PolicyDecision } from './decision-schema.ts';

/**
 * Computes the verdict on an artifact in an environment (`rules/environments.md#verdicts`).
 * @param decisions decisions of all attached policies
 * @returns null = unknown, because no policies are attached
 */
export function artifactVerdict(
  decisions: readonly Pick<PolicyDecision, 'status'>[],
  allowListed: boolean,
  hasPolicies: boolean,
): boolean | null {
  if (allowListed) return true;
  if (!hasPolicies) return null;
  return decisions.every(({ status }) => status === 'COMPLIANT');
}

/**
 * The verdict of an assert: that of the policies or the allow-list, and without them that of the flows
 * (rules/lookups.md#assert-scopes).
 *
 * @param decided null if neither policies nor an allow-list decide
 * @returns null if no flow has the artifact either
 */
export function assertedVerdict(decided: boolean | null, flows: readonly { compliant: boolean }[]): boolean | null {
  if (decided !== null) return decided;
  return flows.length === 0 ? null : flows.every(({ compliant }) => compliant);
}

interface SnapshotVerdict {
  /** State of the environment; null = unknown. */
  state: boolean | null;
  /** Compliance of the snapshot. It has no third value: an unknown state is false. */
  compliant: boolean;
}

/**
 * Computes the verdict on a snapshot (`rules/environments.md#verdicts`).
 * @param running verdicts of the running artifacts; artifacts that exited do not count
 */
export function snapshotVerdict(running: readonly (boolean | null)[], hasPolicies: boolean): SnapshotVerdict {
  if (!hasPolicies) return { state: null, compliant: false };
  const compliant = !running.includes(false);
  return { state: compliant, compliant };
}

/** Number of running artifacts by verdict. */
export type ComplianceCount = Record<'true' | 'false' | 'null', number>;

/** Counts the verdicts of the running artifacts, for `artifact_compliance_count` of a snapshot. */
export function complianceCount(running: readonly (boolean | null)[]): ComplianceCount {
  const count = { true: 0, false: 0, null: 0 };
  for (const verdict of running) count[`${verdict}`] += 1;
  return count;
}

/** Adds counts. @returns null if one of them is unknown */
export function sumOfCounts(counts: readonly (ComplianceCount | null)[]): ComplianceCount | null {
  const sum = { true: 0, false: 0, null: 0 };
  for (const count of counts) {
    if (count === null) return null;
    for (const verdict of ['true', 'false', 'null'] as const) sum[verdict] += count[verdict];
  }
  return sum;
}
