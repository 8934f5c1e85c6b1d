import type { Micros } from '#shared/base/time.ts';
import type { ControlAnswer, ControlQuestion, PolicyDecision } from './evaluate.ts';

/** A decision that concerns an artifact (semantics §7.3): on its fingerprint, or on a trail that has it. */
export interface ControlDecision {
  control: string;
  /** Name of the attestation. */
  name: string;
  compliant: boolean;
  at: Micros;
}

/**
 * The answer to a rule with `for_control`: the latest decision for the control, under the rule's name unless that is
 * `*` (semantics §7.3). Of decisions made at the same instant the one later in the list counts.
 */
export function controlAnswer(
  decisions: readonly ControlDecision[],
  { control, name }: ControlQuestion,
): ControlAnswer {
  let latest: ControlDecision | null = null;
  for (const decision of decisions) {
    const concerned = decision.control === control && (name === '*' || decision.name === name);
    if (concerned && (latest === null || decision.at >= latest.at)) latest = decision;
  }
  if (latest === null) return 'missing';
  return latest.compliant ? 'satisfied' : 'non_compliant';
}

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
