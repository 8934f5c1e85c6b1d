import type { EnvironmentId, Id, OrganizationId } from '#shared/base/ids.ts';
import { type RuntimeEvent, runtimeItem } from '#shared/evidence/records/runtime-events.ts';
import type { Item } from '#shared/table/table.ts';
import type { ArtifactEvent } from '../rules/compare.ts';
import type { RowFlow, SnapshotRow } from '../rules/content.ts';
import { artifactKey } from '../rules/running.ts';
import type { EnvironmentEventItem } from './environment-records.ts';
import { environmentEventKey, repoEventKey } from './keys.ts';

/** Items that follow from the events of a snapshot. Repeated calls give equal items, so they may be written again. */

export type RowEvent = ArtifactEvent<SnapshotRow>;

/** The snapshot that events belong to. */
export interface EventsOf {
  org: OrganizationId;
  environment: { id: EnvironmentId; name: string };
  snapshot: { index: number; at: number; state: boolean | null };
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
  { type, description, row, annotation }: RowEvent,
  repos: Iterable<Id>,
  committed: number | null,
): Item[] {
  const [primary] = row.flows;
  const replaced = primary && row.replaced[primary.flow];
  const event: Omit<EnvironmentEventItem, 'sk'> = {
    index: snapshot.index,
    at: snapshot.at,
    type,
    description,
    name: row.name,
    fingerprint: row.fingerprint,
    compliant: row.compliant,
    state: snapshot.state,
    flows: row.flows.map(({ name }) => name),
    report: primary?.report ?? null,
    origin: primary ? originOf(primary) : null,
    committed,
    previous: replaced?.report ?? null,
    previousCommit: replaced?.commit ?? null,
    instances: type === 'exited' ? annotation.was : annotation.now,
  };
  const keys = [
    environmentEventKey(org, environment.id, number),
    ...[...new Set(repos)].map((repo) => repoEventKey(org, environment.id, repo, number)),
  ];
  return keys.map((key) => ({ ...key, v: 1, ...event }));
}

/** Where the report of a row was made. */
export const originOf = ({ flow, trailName: trail, commit }: RowFlow) => ({ flow, trail, commit });

/**
 * The items that an event adds to trails. A start or an exit is added to the latest trail of each flow that has the
 * artifact; other events add nothing (rules/environments.md#trail-events).
 */
export function trailItems({ org, environment, snapshot }: EventsOf, { type, row, annotation }: RowEvent): Item[] {
  const { fingerprint } = row;
  if ((type !== 'started' && type !== 'exited') || fingerprint === '') return [];
  return row.flows.map(({ flow, trailName: trail, slot }) => {
    const event: RuntimeEvent = {
      at: snapshot.at,
      type: type === 'started' ? 'started' : 'stopped',
      fingerprint,
      slot,
      environment: environment.id,
      name: environment.name,
      index: snapshot.index,
      instances: type === 'started' ? annotation.now : annotation.was,
    };
    return runtimeItem(org, { flow, trail }, event, artifactKey(row));
  });
}
