import * as z from 'zod';
import { type FlowId, type OrganizationId, storedId } from '#shared/base/ids.ts';
import { AnyTrailName } from '#shared/base/names.ts';
import { type Micros, StoredMicros } from '#shared/base/time.ts';
import type { TrailPlace } from '#shared/evidence/records/artifact-trails.ts';
import { above, absent, below, change, either } from '#shared/table/expressions.ts';
import { keyText, type Table } from '#shared/table/table.ts';
import type { Arrival, Completion } from '../rules/arrivals.ts';
import { arrivalKey, arrivalPartition, completionKey } from './keys.ts';

/** What arrived last, as the relay derives it (rules/expectations.md#arrivals). */

const ArrivalItem = z.object({ sk: z.string(), at: StoredMicros, trail: AnyTrailName });
/** The latest arrival of one sort in a flow. */
export type StoredArrival = Pick<z.infer<typeof ArrivalItem>, 'at' | 'trail'>;
const CompletionItem = z.object({ at: StoredMicros });

/** What an expectation waits for in flows. */
export type ArrivalSort = Pick<Arrival, 'sort' | 'value'>;

/** Stores an arrival, unless the stored one is later. @returns whether it was the latest */
export const recordArrival = (
  table: Table,
  org: OrganizationId,
  { sort, value, flow, at, trail }: Arrival,
): Promise<boolean> =>
  table.update(
    arrivalKey(org, sort, value, flow),
    change({ set: { v: 1, at, trail } }, either(absent('at'), below({ at }))),
  );

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
  return new Map(
    items.map((item) => {
      const { sk, at, trail } = ArrivalItem.parse(item);
      return [storedId<FlowId>(sk), { at, trail }];
    }),
  );
}

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
