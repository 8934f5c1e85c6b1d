import type { Micros } from '#shared/base/time.ts';

/** The question of a policy rule with `for_control`. */
export interface ControlQuestion {
  control: string;
  /** Name of the attestation; `*` = any. */
  name: string;
}

/** A candidate for an artifact: a decision on its fingerprint or on one of its trails (rules/controls.md#candidates). */
export interface ControlDecision {
  control: string;
  /** Name of the attestation. */
  name: string;
  compliant: boolean;
  at: Micros;
}

/** The decision that answers a {@link ControlQuestion} for one artifact; null if there is none (rules/controls.md#answer). */
export type ControlAnswer = Pick<ControlDecision, 'compliant' | 'at'> | null;

/**
 * Answers a rule with `for_control`: the latest matching decision counts (rules/controls.md#answer).
 *
 * @param decisions the artifact's candidates; of two at the same instant the one later in the list counts
 */
export function controlAnswer(
  decisions: readonly ControlDecision[],
  { control, name }: ControlQuestion,
): ControlAnswer {
  let latest: ControlDecision | null = null;
  for (const decision of decisions) {
    const matches = decision.control === control && (name === '*' || decision.name === name);
    if (matches && (latest === null || decision.at >= latest.at)) latest = decision;
  }
  return latest;
}
