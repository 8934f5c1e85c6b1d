import type { ENVIRONMENT_TRIGGERS } from '#shared/notifications/rules/records.ts';
import type { ArtifactEvent } from './compare.ts';

export type EnvironmentTrigger = (typeof ENVIRONMENT_TRIGGERS)[number];

/** Triggers that fire, with the event type that webhooks carry (semantics §10.4). Scaling fires nothing any more. */
export const ENVIRONMENT_EVENTS = {
  ON_STARTED_ARTIFACT: 'ARTIFACT_STARTED',
  ON_EXITED_ARTIFACT: 'ARTIFACT_EXITED',
  ON_ALLOWED_ARTIFACT: 'ARTIFACT_ALLOWED',
  ON_NON_COMPLIANT_ENV: 'ENV_NON_COMPLIANT',
  ON_COMPLIANT_ENV: 'ENV_COMPLIANT',
} as const satisfies Record<Exclude<EnvironmentTrigger, 'ON_SCALED_ARTIFACT'>, string>;

/** A state as notifications say it (semantics §10.4). */
export function stateWord(state: boolean | null): 'compliant' | 'non-compliant' | 'unknown' {
  if (state === null) return 'unknown';
  return state ? 'compliant' : 'non-compliant';
}

/** The last state that was known, after a snapshot with this one: unknown leaves it as it was (semantics §10.2). */
export const knownAfter = (known: boolean | null, state: boolean | null): boolean | null => state ?? known;

/**
 * The trigger of a change of state. Snapshots of unknown state are passed over: only a known state that differs from
 * the known one before it fires (semantics §10.2, «Transitions through unknown»).
 * @param known the last known state before the snapshot, null = there was none
 * @param state the snapshot's state, null = unknown
 */
export function stateTrigger(
  known: boolean | null,
  state: boolean | null,
): 'ON_COMPLIANT_ENV' | 'ON_NON_COMPLIANT_ENV' | null {
  if (known === null || state === null || known === state) return null;
  return state ? 'ON_COMPLIANT_ENV' : 'ON_NON_COMPLIANT_ENV';
}

/** A trigger that fires, and the artifact's event where it is about an artifact. */
export type FiredTrigger<R> =
  | { trigger: 'ON_STARTED_ARTIFACT' | 'ON_EXITED_ARTIFACT'; event: ArtifactEvent<R> }
  | { trigger: 'ON_COMPLIANT_ENV' | 'ON_NON_COMPLIANT_ENV'; event: null };

/**
 * What one new snapshot fires: once per artifact that started or stopped, in the order of the events, then once for the
 * environment if its state turned (semantics §10.2). Changed artifacts fire nothing (wire environments §5.3).
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
  const turned = stateTrigger(known, state);
  return turned === null ? fired : [...fired, { trigger: turned, event: null }];
}
