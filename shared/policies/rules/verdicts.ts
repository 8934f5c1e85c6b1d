import type { PolicyDecision } from './evaluate.ts';

/**
 * The verdict on an artifact in an environment (semantics §5.6.1).
 * @param decisions of every attached policy
 * @returns null = unknown, since no policies are attached
 */
export function artifactVerdict(
  decisions: readonly PolicyDecision[],
  allowListed: boolean,
  hasPolicies: boolean,
): boolean | null {
  if (allowListed) return true;
  if (!hasPolicies) return null;
  return decisions.every(({ status }) => status === 'COMPLIANT');
}

export interface SnapshotVerdict {
  /** Of the environment; null = unknown. */
  state: boolean | null;
  /** Of the snapshot, which knows no third value: unknown is false (semantics §5.6.2). */
  compliant: boolean;
}

/**
 * The verdict on a snapshot (semantics §5.6.2).
 * @param running verdicts of the artifacts that run; those that exited have no say (semantics §5.5)
 */
export function snapshotVerdict(running: readonly (boolean | null)[], hasPolicies: boolean): SnapshotVerdict {
  if (!hasPolicies) return { state: null, compliant: false };
  const compliant = !running.includes(false);
  return { state: compliant, compliant };
}

/** `artifact_compliance_count` of a snapshot (wire environments §4.3), of the artifacts that run. */
export function complianceCount(running: readonly (boolean | null)[]): Record<'true' | 'false' | 'null', number> {
  const count = { true: 0, false: 0, null: 0 };
  for (const verdict of running) count[`${verdict}`] += 1;
  return count;
}
