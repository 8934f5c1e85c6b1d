import type { Micros } from '#shared/base/time.ts';
import type { DecisionFacts } from './requirements.ts';

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
  /** What is known of a decision that does not count: the control asks for more, or it was recalled (rules/controls.md#requirements). */
  refused?: DecisionFacts;
  /** Names of the recalls of a decision that does not count, because they match its signature; then {@link refused} is set too. */
  recalledBy?: readonly string[];
  /** Names of the recalls that match a decision of the past, and did not when it counted. */
  recalledSince?: readonly string[];
}

/**
 * The decision that answers a {@link ControlQuestion} for one artifact; null if there is none. `refused` = there are only decisions
 * that do not count, and this is the latest (rules/controls.md#answer).
 */
export type ControlAnswer = Pick<ControlDecision, 'compliant' | 'at' | 'refused' | 'recalledBy'> | null;

/**
 * Answers a rule with `for_control`: the latest matching decision that counts (rules/controls.md#answer).
 *
 * @param decisions the artifact's candidates; of two at the same instant the one later in the list counts
 */
export function controlAnswer<D extends ControlDecision>(
  decisions: readonly D[],
  { control, name }: ControlQuestion,
): D | null {
  const matches = decisions.filter((one) => one.control === control && (name === '*' || one.name === name));
  return latestOf(matches.filter(({ refused }) => refused === undefined)) ?? latestOf(matches);
}

const latestOf = <D extends ControlDecision>(decisions: readonly D[]): D | null =>
  decisions.reduce<D | null>((latest, one) => (latest === null || one.at >= latest.at ? one : latest), null);
