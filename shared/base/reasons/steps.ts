/** The kinds of steps of a chain of reasons, from what asks to what was seen last (rules/reasons.md#steps). */
export const REASON_STEPS = ['environment', 'policy', 'trail', 'slot', 'attestation', 'evaluation', 'type'] as const;
type ReasonStepKind = (typeof REASON_STEPS)[number];

/** One step of a chain of reasons: what it is about, what it found, and where that can be seen. */
export interface ReasonStep {
  step: ReasonStepKind;
  name: string;
  /** A sentence without its full stop, which can stand alone. */
  says: string;
  /** What was found, in few words: `missing`, `2 high findings`; null if the sentence says everything. */
  saw: string | null;
  html_url: string;
  /** Null if the step decides nothing, for example because a rule does not apply. */
  compliant: boolean | null;
}

/** A step with its place in the tree: 0 for what no other step leads to. */
export interface PlacedStep extends ReasonStep {
  depth: number;
}

/**
 * Returns the steps with their depths. Steps are in the order of a walk that goes down first, and a step never has a step of
 * an earlier kind below it. So a step lies below the nearest step before it whose kind is an earlier one.
 */
export function placed(steps: readonly ReasonStep[]): PlacedStep[] {
  const open: number[] = [];
  return steps.map((step) => {
    const rank = REASON_STEPS.indexOf(step.step);
    while ((open.at(-1) ?? -1) >= rank) open.pop();
    open.push(rank);
    return { ...step, depth: open.length - 1 };
  });
}

/**
 * Returns the steps at which the ways down to what is not compliant end. A way goes through steps that are not compliant only:
 * what failed below something that is compliant all the same is no reason.
 */
export function lastFailures(steps: readonly ReasonStep[]): ReasonStep[] {
  const way: { step: ReasonStep; isFailure: boolean; isLast: boolean }[] = [];
  const failures: (typeof way)[number][] = [];
  for (const { depth, ...step } of placed(steps)) {
    way.length = depth;
    const above = way.at(-1);
    const isFailure = step.compliant === false && (above === undefined || above.isFailure);
    const one = { step, isFailure, isLast: true };
    if (isFailure) failures.push(one);
    if (isFailure && above) above.isLast = false;
    way.push(one);
  }
  return failures.filter(({ isLast }) => isLast).map(({ step }) => step);
}
