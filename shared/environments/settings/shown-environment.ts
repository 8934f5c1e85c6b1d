import type { Micros } from '#shared/base/time.ts';
import type { EnvironmentDetails } from '../records/environment-details.ts';
import type { EnvironmentEntry } from '../records/environment-records.ts';
import type { EnvironmentKind } from '../rules/environment-kinds.ts';

/** What an answer shows of an environment. */
export interface ShownEnvironment extends EnvironmentDetails {
  name: string;
  kind: EnvironmentKind;
  state: boolean | null;
  /** Time of the newest snapshot; 0 = none. */
  changed: Micros;
  /** Time of the last accepted report; 0 = never. */
  reported: Micros;
  modified: Micros;
}

/**
 * Time of the last change of an environment, in microseconds: settings, report or snapshot (rules/environments.md#record).
 * For a logical environment it is the newest snapshot, or the last change of settings if it has no snapshot.
 * @param newest time of the newest snapshot, if the head is known; the catalogue entry may have been read before it
 */
export function lastModified({ k, m, r, c }: Omit<EnvironmentEntry, 'n'>, newest: Micros = c): Micros {
  if (k === 'logical' && newest > 0) return newest;
  return Math.max(m, r, newest);
}
