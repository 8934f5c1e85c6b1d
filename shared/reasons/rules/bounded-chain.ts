import { lastFailures, type ReasonStep } from '#shared/base/reasons/steps.ts';

/** Most steps of one chain (rules/reasons.md#bounds). */
const MOST_STEPS = 200;
/** Most steps of all chains of one answer. */
const MOST_IN_ANSWER = 5_000;

export interface BoundedChain {
  steps: ReasonStep[];
  /** Number of steps that were left out. */
  leftOut: number;
}

/** Cuts a chain to a number of steps. What is fulfilled is left out first, so that a reason is left out last. */
export function bounded(steps: readonly ReasonStep[], most: number = MOST_STEPS): BoundedChain {
  if (steps.length <= most) return { steps: [...steps], leftOut: 0 };
  const open = steps.filter(({ compliant }) => compliant !== true);
  const kept = open.slice(0, most);
  return { steps: kept, leftOut: steps.length - kept.length };
}

/**
 * Cuts the chains of one answer, so that all of them together have a number of steps. The chains of what is not compliant get
 * their steps first. Each of these keeps its first step and its first reason, even if no step is left.
 *
 * @param isFailure says whether a chain is about something that is not compliant
 */
export function boundedTogether(
  chains: readonly (readonly ReasonStep[])[],
  isFailure: (n: number) => boolean,
  most: number = MOST_IN_ANSWER,
): BoundedChain[] {
  const cut: BoundedChain[] = [];
  let left = most;
  const order = [...chains.keys()].sort(
    (one, other) => Number(isFailure(other)) - Number(isFailure(one)) || one - other,
  );
  for (const n of order) {
    const chain = chains[n] ?? [];
    const fits = Math.min(left, MOST_STEPS);
    const kept = isFailure(n) && fits < SHORTEST ? shortest(chain) : bounded(chain, fits);
    cut[n] = kept;
    left = Math.max(0, left - kept.steps.length);
  }
  return cut;
}

/** Steps below which a chain is not worth its place: environment, policy, trail, slot. */
const SHORTEST = 4;

function shortest(chain: readonly ReasonStep[]): BoundedChain {
  const steps = [...new Set([...chain.slice(0, 1), ...lastFailures(chain).slice(0, 1)])];
  return { steps, leftOut: chain.length - steps.length };
}
