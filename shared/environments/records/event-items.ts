import { hash } from 'node:crypto';
import { type EnvironmentId, type Id, isKnownFingerprint, type OrganizationId, preciseIdOf } from '#shared/base/ids.ts';
import { runtimeItem } from '#shared/evidence/records/runtime-events.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import type { Item } from '#shared/table/table.ts';
import type { ArtifactEvent } from '../rules/compare.ts';
import type { SnapshotRow } from '../rules/content.ts';
import { type EffectSnapshot, environmentEvent, runtimeEvents } from '../rules/effects.ts';
import type { EnvironmentEventItem } from './environment-records.ts';
import { environmentEventKey, repoEventKey, startKey } from './keys.ts';

/** Items that follow from the events of a snapshot. Repeated calls give equal items, so they may be written again. */

export type RowEvent = ArtifactEvent<SnapshotRow>;

export interface EventsOf {
  org: OrganizationId;
  environment: { id: EnvironmentId; name: string };
  snapshot: EffectSnapshot;
}

/**
 * The items of an event: one in the environment's list, and one in the list of each repository that made the artifact.
 * @param number the event's number, which the snapshot reserved
 * @param repos ids of the repositories
 * @param committed time of the commit of a start in seconds; null if it is unknown
 */
export function eventItems(
  { org, environment, snapshot }: EventsOf,
  number: number,
  event: RowEvent,
  repos: Iterable<Id>,
  committed: number | null,
): Item[] {
  const stored: Omit<EnvironmentEventItem, 'sk'> = { ...environmentEvent(snapshot, event), committed };
  const keys = [
    environmentEventKey(org, environment.id, number),
    ...[...new Set(repos)].map((repo) => repoEventKey(org, environment.id, repo, number)),
  ];
  return keys.map((key) => ({ ...key, v: 1, ...stored }));
}

/** The item of a start in the list of all starts; none for other events, and for artifacts whose fingerprint nobody knows. */
export function startItems({ org, environment: { id }, snapshot }: EventsOf, number: number, event: RowEvent): Item[] {
  const { type, at, fingerprint, name, origin } = environmentEvent(snapshot, event);
  if (type !== 'started' || !isKnownFingerprint(fingerprint)) return [];
  // The same start always has the same key.
  const entry = preciseIdOf(at, hash('sha256', `${id}#${number}`, 'hex'));
  return [{ ...startKey(org, monthOf(entry), entry), v: 1, environment: id, number, at, fingerprint, name, origin }];
}

/** The items that an event adds to trails (rules/environments.md#trail-events). */
export const trailItems = ({ org, environment, snapshot }: EventsOf, event: RowEvent): Item[] =>
  runtimeEvents(environment.id, snapshot, event).map(({ place, id, event: runtime }) =>
    runtimeItem(org, place, id, runtime),
  );
