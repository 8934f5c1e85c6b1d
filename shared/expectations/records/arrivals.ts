import * as z from 'zod';
import { type FlowId, type OrganizationId, storedId } from '#shared/base/ids.ts';
import { AnyTrailName, storedName, type TrailName } from '#shared/base/names.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { EPOCH, type Micros, StoredMicros } from '#shared/base/time.ts';
import type { TrailPlace } from '#shared/evidence/records/artifact-trails.ts';
import { above, absent, below, type Changes, change, either, equal, onlyIf } from '#shared/table/expressions.ts';
import { type Item, keyText, type Table, type Write } from '#shared/table/table.ts';
import type { Arrival, Completion } from '../rules/arrivals.ts';
import type { Expectation } from '../rules/expectation.ts';
import { arrivalKey, arrivalPartition, completionKey } from './keys.ts';

/** What arrived last, as the relay derives it (rules/expectations.md#arrivals). */

const ArrivalItem = z.object({
  sk: z.string(),
  at: StoredMicros,
  trail: AnyTrailName,
  /** Number of the moment of the latest arrival. Items of earlier releases lack it, like the times before. */
  number: z.int().optional(),
  /** The arrivals before the latest one; 0 = none. */
  r1: StoredMicros.default(EPOCH),
  r2: StoredMicros.default(EPOCH),
  r3: StoredMicros.default(EPOCH),
  r4: StoredMicros.default(EPOCH),
});

/** The latest arrival of one sort in a flow. */
export interface StoredArrival {
  at: Micros;
  trail: TrailName;
  number: number | undefined;
  /** The last arrivals, the newest first, at most five. */
  times: Micros[];
}

function storedArrival(item: Item): StoredArrival {
  const { at, trail, number, r1, r2, r3, r4 } = ArrivalItem.parse(item);
  // Moments that the stream brought twice, or late, are not in their order.
  const times = [at, r1, r2, r3, r4].filter((one) => one !== EPOCH).toSorted((one, other) => other - one);
  return { at, trail: storedName(trail), number, times };
}
const CompletionItem = z.object({ at: StoredMicros });

/** What an expectation waits for in flows. */
export type ArrivalSort = Pick<Arrival, 'sort' | 'value'>;

/** Returns what an expectation about flows waits for: trails that begin, or attestations. */
export const arrivalsOf = ({ evidence }: Pick<Expectation, 'evidence'>): ArrivalSort =>
  evidence ? { sort: evidence.by, value: evidence.value } : { sort: 'begun', value: '' };

/** Stores an arrival, unless the stored one is later. Keeps the times of those before. @returns whether it was the latest */
export function recordArrival(
  table: Table,
  org: OrganizationId,
  { sort, value, flow, at, first, trail, number }: Arrival,
): Promise<boolean> {
  const set = { v: 1, at, trail, number };
  const changes: Changes =
    first < at
      ? { set: { ...set, r1: first }, copy: { r2: 'at', r3: 'r1', r4: 'r2' } }
      : { set, copy: { r1: 'at', r2: 'r1', r3: 'r2', r4: 'r3' } };
  return table.update(arrivalKey(org, sort, value, flow), change(changes, either(absent('at'), below({ at }))));
}

/** Stores when a trail was compliant, unless an earlier instant is stored. @returns whether it was the earliest */
export const recordCompletion = (
  table: Table,
  org: OrganizationId,
  { flow, trail, at }: Completion,
): Promise<boolean> =>
  table.update(completionKey(org, flow, trail), change({ set: { v: 1, at } }, either(absent('at'), above({ at }))));

/** Reads the latest arrival in each flow, in one Query per MB: about 8,000 flows. */
export async function readArrivals(
  table: Table,
  org: OrganizationId,
  { sort, value }: ArrivalSort,
): Promise<Map<FlowId, StoredArrival>> {
  const items = await table.query({ pk: arrivalPartition(org, sort, value) });
  return new Map(items.map((item) => [storedId<FlowId>(item.sk), storedArrival(item)]));
}

/** Sorts of arrivals that are read at the same time. */
const WIDTH = 8;

/**
 * Reads for several expectations what arrived last in each flow. Each sort of arrivals is read once.
 *
 * @returns what gives the arrivals that one of these expectations waits for
 */
export async function readArrivalsOf(
  table: Table,
  org: OrganizationId,
  expectations: readonly Pick<Expectation, 'evidence'>[],
): Promise<(expectation: Pick<Expectation, 'evidence'>) => ReadonlyMap<FlowId, StoredArrival>> {
  const sorts = new Map(expectations.map((one) => [JSON.stringify(arrivalsOf(one)), arrivalsOf(one)]));
  const read = await inParallel(
    sorts,
    WIDTH,
    async ([key, sort]) => [key, await readArrivals(table, org, sort)] as const,
  );
  const found = new Map(read);
  return (expectation) => found.get(JSON.stringify(arrivalsOf(expectation))) ?? new Map();
}

/** Reads the latest arrival in one flow; undefined if there was none. */
export async function readArrival(
  table: Table,
  org: OrganizationId,
  { sort, value }: ArrivalSort,
  flow: FlowId,
): Promise<StoredArrival | undefined> {
  const item = await table.get(arrivalKey(org, sort, value, flow));
  return item && storedArrival(item);
}

/** Returns the check that nothing arrived in a flow since its latest arrival was read. It is refused with `arrived`. */
export const noArrivalSince = (
  org: OrganizationId,
  { sort, value }: ArrivalSort,
  flow: FlowId,
  read: StoredArrival | undefined,
): Write<'arrived'> => ({
  check: arrivalKey(org, sort, value, flow),
  ...onlyIf(read ? equal({ at: read.at }) : absent()),
  refused: () => 'arrived' as const,
});

/** Reads when trails were compliant first, in the order of `places`; null for those that never were. */
export async function readCompletions(
  table: Table,
  org: OrganizationId,
  places: readonly TrailPlace[],
): Promise<(Micros | null)[]> {
  const keys = places.map(({ flow, trail }) => completionKey(org, flow, trail));
  const found = await table.getMany(keys);
  return keys.map((key) => {
    const item = found.get(keyText(key));
    return item ? CompletionItem.parse(item).at : null;
  });
}

/** Returns the check that the first compliant instant of a trail is the one that was read. It is refused with `arrived`. */
export const noCompletionSince = (
  org: OrganizationId,
  { flow, trail }: TrailPlace,
  read: Micros | null,
): Write<'arrived'> => ({
  check: completionKey(org, flow, trail),
  ...onlyIf(read === null ? absent() : equal({ at: read })),
  refused: () => 'arrived' as const,
});
