import type { EnvironmentEvent } from '../../environment/operations.ts';
import type { EventLine } from '../../trail/model/trail-events.ts';

/** The parameters that name one event for the page «Who was told» (rules/notifications.md#who-was-told). */
export type EventAddress = Readonly<Record<string, string | number>>;

/** Names an event of an environment; null for kinds of events that notify nobody. */
export function addressOfEvent(event: EnvironmentEvent): EventAddress | null {
  const { type, environment_name: environment, snapshot_index: snapshot, sha256: fingerprint, artifact_name } = event;
  if (type !== 'started' && type !== 'exited') return null;
  const trigger = type === 'started' ? 'ON_STARTED_ARTIFACT' : 'ON_EXITED_ARTIFACT';
  return { environment, snapshot, trigger, fingerprint, artifact_name };
}

/**
 * Names an event of a trail: an attestation, or an artifact that started or stopped. Null for the others: they are named by
 * the number of their moment, which the tab «History» has.
 */
export function addressOfLine({ attestation, environment, fingerprint, isStop }: EventLine): EventAddress | null {
  if (attestation !== null) return { attestation_id: attestation };
  if (environment === null || fingerprint === null) return null;
  const trigger = isStop ? 'ON_EXITED_ARTIFACT' : 'ON_STARTED_ARTIFACT';
  return { environment: environment.name, snapshot: environment.snapshot, trigger, fingerprint };
}
