import * as z from 'zod';
import { EnvironmentId, type FlowId, idAt, type OrganizationId, StoredFingerprint } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { runtimeMonthsKey, runtimePartition } from '#shared/evidence/records/keys.ts';
import { monthOf, recentMonths } from '#shared/series/series-entries.ts';
import type { Item, Table } from '#shared/table/table.ts';

/**
 * Starts and stops of a trail's artifacts (rules/trails.md#runtime-events). Each month of a trail has its own
 * partition, apart from the trail, so that a job that starts and stops all day does not enlarge the trail.
 */

/** How many runtime events a trail shows: the newest. */
export const SHOWN_RUNTIME_EVENTS = 200;

export const RuntimeItem = z.object({
  at: z.number(),
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
export interface TrailPlace {
  flow: FlowId;
  /** Name of the trail. */
  trail: string;
}

export const RuntimeMonths = z.object({ months: z.custom<Set<string>>((value) => value instanceof Set) });
const monthAt = (at: Micros): string => monthOf(idAt(at, ''));

/**
 * Returns the item of an event. The same event always has the same key, so writing it twice does no harm.
 *
 * @param key distinguishes the events of one snapshot
 */
export function runtimeItem(org: OrganizationId, { flow, trail }: TrailPlace, event: RuntimeEvent, key: string): Item {
  const { at, environment, index, type } = event;
  return {
    pk: runtimePartition(org, flow, trail, monthAt(at)),
    sk: idAt(at, `runtime|${environment}|${index}|${type}|${key}`),
    v: 1,
    ...event,
  };
}

/**
 * Records that a trail has events in a month. The caller does this before it writes the events, so that no reader
 * misses them.
 *
 * @param at the time of an event, in microseconds
 * @param recorded months that this process has recorded already; the function adds to it
 */
export async function recordRuntimeMonth(
  table: Table,
  org: OrganizationId,
  { flow, trail }: TrailPlace,
  at: Micros,
  recorded: Set<string>,
): Promise<void> {
  const key = runtimeMonthsKey(org, flow, trail);
  const month = monthAt(at);
  const text = `${key.pk}#${month}`;
  if (recorded.has(text)) return;
  await table.update(key, {
    UpdateExpression: 'SET #v = :v ADD months :month',
    ConditionExpression: 'NOT contains(months, :one)',
    ExpressionAttributeNames: { '#v': 'v' },
    ExpressionAttributeValues: { ':v': 1, ':month': new Set([month]), ':one': month },
  });
  recorded.add(text);
}

/**
 * Reads the newest {@link SHOWN_RUNTIME_EVENTS} events of a trail, ascending. The present and the last month are read
 * in parallel with the list of months. Older months are read only if these two have too few events.
 */
export async function readRuntimeEvents(
  table: Table,
  org: OrganizationId,
  place: TrailPlace,
  now: Micros,
): Promise<RuntimeEvent[]> {
  const recent = recentMonths(now);
  const read = (month: string): Promise<Item[]> =>
    table.query({
      pk: runtimePartition(org, place.flow, place.trail, month),
      newestFirst: true,
      limit: SHOWN_RUNTIME_EVENTS,
    });
  const [monthsItem, ...newest] = await Promise.all([
    table.get(runtimeMonthsKey(org, place.flow, place.trail)),
    ...recent.map(read),
  ]);
  const found = newest.flat();
  const months = monthsItem
    ? [...RuntimeMonths.parse(monthsItem).months].filter((month) => !recent.includes(month))
    : [];
  if (found.length < SHOWN_RUNTIME_EVENTS && months.length > 0) {
    found.push(...(await Promise.all(months.map(read))).flat());
  }
  const ascending = found.sort((a, b) => (a.sk < b.sk ? -1 : 1));
  return ascending.slice(-SHOWN_RUNTIME_EVENTS).map((item) => RuntimeItem.parse(item));
}
