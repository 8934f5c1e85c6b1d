import * as z from 'zod';
import { EnvironmentId, type FlowId, idAt, type OrganizationId, StoredFingerprint } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { runtimeMonthsKey, runtimePartition } from '#shared/evidence/records/keys.ts';
import { monthOf, recentMonths } from '#shared/series/series-entries.ts';
import type { Item, Table } from '#shared/table/table.ts';

/**
 * What became of a trail's artifacts at run time: items in partitions apart from the trail, cut by month, so that a job
 * that starts and stops all day makes no trail larger (design §2.9).
 */

/** Readers are shown this many, the newest. */
export const SHOWN_RUNTIME_EVENTS = 200;

const RuntimeItem = z.object({
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
  /** Instances that started; of a stop, those that stopped. */
  instances: z.number(),
});
/** An artifact of a trail started, or stopped, in an environment. */
export type RuntimeEvent = z.infer<typeof RuntimeItem>;

/** A trail by what its keys are made of. */
export interface TrailPlace {
  flow: FlowId;
  /** Name of the trail. */
  trail: string;
}

const MonthsItem = z.object({ months: z.custom<Set<string>>((value) => value instanceof Set) });
const monthAt = (at: Micros): string => monthOf(idAt(at, ''));

/** The item of an event; `key` tells the events of one snapshot apart. The same event has the same item. */
export function runtimeItem(org: OrganizationId, { flow, trail }: TrailPlace, event: RuntimeEvent, key: string): Item {
  const { at, environment, index, type } = event;
  return {
    pk: runtimePartition(org, flow, trail, monthAt(at)),
    sk: idAt(at, `runtime|${environment}|${index}|${type}|${key}`),
    v: 1,
    ...event,
  };
}

/** Says that a trail has events of an instant's month, before they are written: no reader can miss them. */
export async function noteRuntimeMonth(
  table: Table,
  org: OrganizationId,
  { flow, trail }: TrailPlace,
  at: Micros,
  noted: Set<string>,
): Promise<void> {
  const key = runtimeMonthsKey(org, flow, trail);
  const month = monthAt(at);
  const text = `${key.pk}#${month}`;
  if (noted.has(text)) return;
  await table.update(key, {
    UpdateExpression: 'SET #v = :v ADD months :month',
    ConditionExpression: 'NOT contains(months, :one)',
    ExpressionAttributeNames: { '#v': 'v' },
    ExpressionAttributeValues: { ':v': 1, ':month': new Set([month]), ':one': month },
  });
  noted.add(text);
}

/**
 * The newest {@link SHOWN_RUNTIME_EVENTS} events of a trail, ascending. The present and the last month are read beside
 * the list of months: more is read only where there are older ones and the newest did not suffice.
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
  const [noted, ...newest] = await Promise.all([
    table.get(runtimeMonthsKey(org, place.flow, place.trail)),
    ...recent.map(read),
  ]);
  const found = newest.flat();
  const months = noted ? [...MonthsItem.parse(noted).months].filter((month) => !recent.includes(month)) : [];
  if (found.length < SHOWN_RUNTIME_EVENTS && months.length > 0) {
    found.push(...(await Promise.all(months.map(read))).flat());
  }
  const ascending = found.sort((a, b) => (a.sk < b.sk ? -1 : 1));
  return ascending.slice(-SHOWN_RUNTIME_EVENTS).map((item) => RuntimeItem.parse(item));
}
