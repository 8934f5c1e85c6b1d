import { type Duration, EPOCH, latestOf, type Micros, plus, toSeconds } from '#shared/base/time.ts';
import { type Attempt, CIRCUIT_FAILURES, type TargetHealth } from './records.ts';

/**
 * Delivery health, computed from attempts. Every part is a maximum or is computed from maxima. So attempts may be added
 * in any order and more than once, and the latest attempts decide (`rules/notifications.md#books-and-health`).
 */

/** While a circuit is open, its target is probed at most once in this time. */
export const PROBE_EVERY: Duration = 30_000_000;
/** The worker that reserves a probe has the target alone for this time, which is longer than a request can last. */
export const PROBE_LEASE: Duration = 20_000_000;

/** The health of a target without attempts. */
export const freshHealth = (key: string): TargetHealth => ({
  key,
  lastSuccess: EPOCH,
  lastFailure: EPOCH,
  disabled: false,
  failures: 0,
  probeAt: EPOCH,
  recent: [],
});

/**
 * Returns the health of a target after one more attempt (`rules/notifications.md#health`). Attempts with the same time
 * count as one. A success and a failure in the same microsecond count as success. Only a save of the action resets
 * `disabled` ({@link healthAfterSave}).
 */
export function healthAfter(health: TargetHealth, { at, outcome }: Pick<Attempt, 'at' | 'outcome'>): TargetHealth {
  if (outcome === 'delivered') return derived({ ...health, lastSuccess: latestOf(health.lastSuccess, at) });
  return derived({
    ...health,
    lastFailure: latestOf(health.lastFailure, at),
    disabled: health.disabled || outcome === 'gone',
    recent: health.recent.includes(at) ? health.recent : [...health.recent, at],
  });
}

/**
 * Returns the health of a target after a save of its action: enabled, the circuit closed, the times kept
 * (`rules/notifications.md#health-after-a-save`). The caller must not add attempts from before the save later.
 */
export const healthAfterSave = (health: TargetHealth): TargetHealth =>
  derived({ ...health, disabled: false, recent: [] });

/** Computes the other parts from the times. Keeps only as many failures as the circuit needs, the newest ones. */
function derived(health: TargetHealth): TargetHealth {
  const { lastSuccess, lastFailure } = health;
  const recent = health.recent
    .filter((at) => at > lastSuccess)
    .sort((a, b) => a - b)
    .slice(-CIRCUIT_FAILURES);
  const open = recent.length >= CIRCUIT_FAILURES;
  const probeAt = open ? latestOf(health.probeAt, plus(lastFailure, PROBE_EVERY)) : EPOCH;
  return { ...health, recent, failures: recent.length, probeAt };
}

/** Says whether the circuit of a target is open (`rules/notifications.md#circuit`). */
export const isOpen = (health: TargetHealth): boolean => health.failures >= CIRCUIT_FAILURES;

/** Whether an attempt that is due may be made now. */
export type Admission =
  | { kind: 'go' }
  /** The caller may make the one probe, if it can replace the health that it read, `before`, by `health`. */
  | { kind: 'probe'; before: TargetHealth; health: TargetHealth }
  | { kind: 'wait'; until: Micros }
  | { kind: 'disabled' };

/** Decides whether a target may be tried now: freely, as the one probe of an open circuit, later, or never. */
export function admit(health: TargetHealth | undefined, now: Micros): Admission {
  if (!health) return { kind: 'go' };
  if (health.disabled) return { kind: 'disabled' };
  if (!isOpen(health)) return { kind: 'go' };
  if (now < health.probeAt) return { kind: 'wait', until: health.probeAt };
  return { kind: 'probe', before: health, health: { ...health, probeAt: plus(now, PROBE_LEASE) } };
}

/** Health of an action as clients read it; times in seconds, 0 = never (`rules/notifications.md#health`). */
interface ActionHealth {
  is_failing: boolean;
  last_success_timestamp: number;
  last_failure_timestamp: number;
}

/** Computes the health of an action. @param healths health of the targets that the action has now */
export function actionHealth(healths: readonly Pick<TargetHealth, 'lastSuccess' | 'lastFailure'>[]): ActionHealth {
  return {
    is_failing: healths.some(({ lastSuccess, lastFailure }) => lastFailure > lastSuccess),
    last_success_timestamp: toSeconds(latestOf(EPOCH, ...healths.map(({ lastSuccess }) => lastSuccess))),
    last_failure_timestamp: toSeconds(latestOf(EPOCH, ...healths.map(({ lastFailure }) => lastFailure))),
  };
}
