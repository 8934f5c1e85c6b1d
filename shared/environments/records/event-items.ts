import type { EnvironmentId, Id, OrganizationId } from '#shared/base/ids.ts';
import { runtimeItem } from '#shared/evidence/records/runtime-events.ts';
import type { Item } from '#shared/table/table.ts';
import type { ArtifactEvent } from '../rules/compare.ts';
import type { SnapshotRow } from '../rules/content.ts';
import { type EffectSnapshot, environmentEvent, runtimeEvents } from '../rules/effects.ts';
import type { EnvironmentEventItem } from './environment-records.ts';
import { environmentEventKey, repoEventKey } from './keys.ts';

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

/** The items that an event adds to trails (rules/environments.md#trail-events). */
export const trailItems = ({ org, environment, snapshot }: EventsOf, event: RowEvent): Item[] =>
  runtimeEvents(environment.id, snapshot, event).map(({ place, id, event: runtime }) =>
    runtimeItem(org, place, id, runtime),
  );
