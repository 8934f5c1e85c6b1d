import type { Micros } from '#shared/base/time.ts';

/** What a rule with `for_control` asks; the name is `*` for any. */
export interface ControlQuestion {
  control: string;
  name: string;
}

/** The latest decision of the organization on the artifact for a control (semantics §7.3). */
export type ControlAnswer = 'satisfied' | 'non_compliant' | 'missing';

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
