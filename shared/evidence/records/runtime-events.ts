import * as z from 'zod';
import { EnvironmentId, type FlowId, type Id, type OrganizationId, StoredFingerprint } from '#shared/base/ids.ts';
import type { TrailName } from '#shared/base/names.ts';
import { StoredMicros } from '#shared/base/time.ts';
import { runtimePartition } from '#shared/evidence/records/keys.ts';
import { keyIn } from '#shared/table/keys.ts';
import type { Item, Table } from '#shared/table/table.ts';

/**
 * Starts and stops of a trail's artifacts (rules/trails.md#runtime-events). They have a partition of their own, so that a
 * job that starts and stops all day does not enlarge the trail.
 */

/** How many runtime events a trail shows: the newest. */
const SHOWN_RUNTIME_EVENTS = 200;

export const RuntimeItem = z.object({
  at: StoredMicros,
  type: z.enum(['started', 'stopped']),
  fingerprint: StoredFingerprint,
  /** Template reference name in the trail. */
  slot: z.string(),
  environment: EnvironmentId,
  /** The environment's name at the time. */
  name: z.string(),
  /** Number of the snapshot. */
  index: z.number(),
  /** Number of instances that started or stopped. */
  instances: z.number(),
});
/** A start or stop of an artifact of a trail in an environment. */
export type RuntimeEvent = z.infer<typeof RuntimeItem>;

/** A trail, named by the id of its flow and its own name. */
interface TrailPlace {
  flow: FlowId;
  /** Name of the trail. */
  trail: TrailName;
}

/** Returns the item of an event. @param id distinguishes the events of a trail, and begins with the time of the event */
export const runtimeItem = (org: OrganizationId, { flow, trail }: TrailPlace, id: Id, event: RuntimeEvent): Item => ({
  ...keyIn(runtimePartition(org, flow, trail), id),
  v: 1,
  ...event,
});

/** Reads the newest {@link SHOWN_RUNTIME_EVENTS} events of a trail, ascending. */
export async function readRuntimeEvents(table: Table, org: OrganizationId, { flow, trail }: TrailPlace) {
  const items = await table.query({
    pk: runtimePartition(org, flow, trail),
    newestFirst: true,
    limit: SHOWN_RUNTIME_EVENTS,
  });
  return items.reverse().map((item) => RuntimeItem.parse(item));
}
