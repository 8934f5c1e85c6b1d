import type { ENVIRONMENT_TRIGGERS } from '#shared/notifications/rules/records.ts';
import type { ArtifactEvent } from './compare.ts';

type EnvironmentTrigger = (typeof ENVIRONMENT_TRIGGERS)[number];

/** Triggers that fire, with the event types of webhooks (rules/notifications.md#environment-triggers). Scaling no longer fires. */
export const ENVIRONMENT_EVENTS = {
  ON_STARTED_ARTIFACT: 'ARTIFACT_STARTED',
  ON_EXITED_ARTIFACT: 'ARTIFACT_EXITED',
  ON_ALLOWED_ARTIFACT: 'ARTIFACT_ALLOWED',
  ON_NON_COMPLIANT_ENV: 'ENV_NON_COMPLIANT',
  ON_COMPLIANT_ENV: 'ENV_COMPLIANT',
  ON_EXPECTATION_DUE_SOON: 'EXPECTATION_DUE_SOON',
  ON_EXPECTATION_MISSED: 'EXPECTATION_MISSED',
  ON_EXPECTATION_MET_AGAIN: 'EXPECTATION_MET_AGAIN',
  ON_EXPOSURE: 'EXPOSURE_FOUND',
} as const satisfies Record<Exclude<EnvironmentTrigger, 'ON_SCALED_ARTIFACT'>, string>;

/** The word for a state in notifications (rules/notifications.md#environment-events). */
export function stateWord(state: boolean | null): 'compliant' | 'non-compliant' | 'unknown' {
  if (state === null) return 'unknown';
  return state ? 'compliant' : 'non-compliant';
}

/** The last known state after a snapshot with `state`. An unknown state leaves it unchanged (rules/environments.md#transitions). */
export const knownAfter = (known: boolean | null, state: boolean | null): boolean | null => state ?? known;

/**
 * The trigger of a change of state; null if none fires. Only a known state that differs from the last known state fires.
 * Snapshots of unknown state are skipped (rules/environments.md#transitions).
 * @param known the last known state before the snapshot; null = there was none
 * @param state the snapshot's state; null = unknown
 */
export function stateTrigger(
  known: boolean | null,
  state: boolean | null,
): 'ON_COMPLIANT_ENV' | 'ON_NON_COMPLIANT_ENV' | null {
  if (known === null || state === null || known === state) return null;
  return state ? 'ON_COMPLIANT_ENV' : 'ON_NON_COMPLIANT_ENV';
}

/** A trigger that fires, with the event of the artifact that started or exited. */
export type FiredTrigger<R> =
  | { trigger: 'ON_STARTED_ARTIFACT' | 'ON_EXITED_ARTIFACT'; event: ArtifactEvent<R> }
  | { trigger: 'ON_COMPLIANT_ENV' | 'ON_NON_COMPLIANT_ENV'; event: null };

/**
 * The triggers that a new snapshot fires: one per artifact that started or exited, in the order of the events, then one
 * if the environment's state changed (rules/notifications.md#environment-triggers). Changed artifacts fire nothing.
 * @param known the last known state before the snapshot
 */
export function firedTriggers<R>(
  events: readonly ArtifactEvent<R>[],
  known: boolean | null,
  state: boolean | null,
): FiredTrigger<R>[] {
  const fired = events.flatMap((event): FiredTrigger<R>[] => {
    if (event.type === 'started') return [{ trigger: 'ON_STARTED_ARTIFACT', event }];
    return event.type === 'exited' ? [{ trigger: 'ON_EXITED_ARTIFACT', event }] : [];
  });
  const trigger = stateTrigger(known, state);
  return trigger === null ? fired : [...fired, { trigger, event: null }];
}
