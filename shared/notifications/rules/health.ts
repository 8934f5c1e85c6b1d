import { type Micros, toSeconds } from '#shared/base/time.ts';
import { type Attempt, CIRCUIT_FAILURES, type TargetHealth } from './records.ts';

/**
 * Delivery health as a fold over attempts (design §2.8): every part is a maximum, or follows from maxima, so that
 * attempts may be folded in any order and more than once, and the result is that of the true last ones by time.
 */

/** While a circuit is open, a target is tried once in this time. */
export const PROBE_EVERY: Micros = 30_000_000;
/** A probe has the target for itself for so long: beyond the time limit of a request. */
export const PROBE_LEASE: Micros = 20_000_000;

/** The health of a target that was never tried. */
export const freshHealth = (key: string): TargetHealth => ({
  ...{ key, lastSuccess: 0, lastFailure: 0, disabled: false, failures: 0, probeAt: 0, recent: [] },
});

/**
 * The health of a target after one more attempt. Attempts are told apart by their time. A success and a failure at the
 * same microsecond count as success. Only a save of the action takes `disabled` back ({@link healthAfterSave}).
 */
export function healthAfter(health: TargetHealth, { at, outcome }: Pick<Attempt, 'at' | 'outcome'>): TargetHealth {
  if (outcome === 'delivered') return derived({ ...health, lastSuccess: Math.max(health.lastSuccess, at) });
  return derived({
    ...health,
    lastFailure: Math.max(health.lastFailure, at),
    disabled: health.disabled || outcome === 'gone',
    recent: health.recent.includes(at) ? health.recent : [...health.recent, at],
  });
}

/**
 * The health of a target after its action was saved: enabled, its circuit closed, its times kept (design §6). Attempts
 * that were made before the save must not be folded in after it.
 */
export const healthAfterSave = (health: TargetHealth): TargetHealth =>
  derived({ ...health, disabled: false, recent: [] });

/** Everything that follows from the times. Failures that no circuit needs are forgotten, the oldest first. */
function derived(health: TargetHealth): TargetHealth {
  const { lastSuccess, lastFailure } = health;
  const recent = health.recent
    .filter((at) => at > lastSuccess)
    .sort((a, b) => a - b)
    .slice(-CIRCUIT_FAILURES);
  const open = recent.length >= CIRCUIT_FAILURES;
  const probeAt = open ? Math.max(health.probeAt, lastFailure + PROBE_EVERY) : 0;
  return { ...health, recent, failures: recent.length, probeAt };
}

export const isOpen = (health: TargetHealth): boolean => health.failures >= CIRCUIT_FAILURES;

/** What a target's health says of an attempt that is due now. */
export type Admission =
  | { kind: 'go' }
  /** The one probe, if `health` can be written in place of the health that was read. */
  | { kind: 'probe'; health: TargetHealth }
  | { kind: 'wait'; until: Micros }
  | { kind: 'disabled' };

/** Whether a target may be tried now: freely, as the one probe of an open circuit, or not (design §6). */
export function admit(health: TargetHealth | undefined, now: Micros): Admission {
  if (!health) return { kind: 'go' };
  if (health.disabled) return { kind: 'disabled' };
  if (!isOpen(health)) return { kind: 'go' };
  if (now < health.probeAt) return { kind: 'wait', until: health.probeAt };
  return { kind: 'probe', health: { ...health, probeAt: now + PROBE_LEASE } };
}

/** An action's health on the wire (semantics §10.5): times in seconds, 0 = never. */
export interface ActionHealth {
  is_failing: boolean;
  last_success_timestamp: number;
  last_failure_timestamp: number;
}

/** @param healths of the targets that the action has now */
export function actionHealth(healths: readonly Pick<TargetHealth, 'lastSuccess' | 'lastFailure'>[]): ActionHealth {
  return {
    is_failing: healths.some(({ lastSuccess, lastFailure }) => lastFailure > lastSuccess),
    last_success_timestamp: toSeconds(Math.max(0, ...healths.map(({ lastSuccess }) => lastSuccess))),
    last_failure_timestamp: toSeconds(Math.max(0, ...healths.map(({ lastFailure }) => lastFailure))),
  };
}
