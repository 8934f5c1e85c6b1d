import * as z from 'zod';
import { type OrganizationId, storedId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import type { Micros } from '#shared/base/time.ts';
import { organizationList } from '#shared/organizations/records/keys.ts';
import { putIfAbsent, type Table } from '#shared/table/table.ts';
import { ACTIVE_SHARDS, activeKey, activePartition, sweepPlaceKey } from './keys.ts';

/** Which organizations the sweeps check, and in which order (`rules/storage.md#turns-of-organizations`). */

const Active = z.object({ sk: z.string(), at: z.number() });

/** An organization in which something happened. */
export interface ActiveOrganization {
  org: OrganizationId;
  /** When the relay listed the organization last. */
  at: Micros;
}

/** Lists an organization, so that the sweeps check it. */
export const listActive = (table: Table, org: OrganizationId, at: Micros): Promise<void> =>
  table.put({ ...activeKey(org), v: 1, at });

/** Reads the listed organizations in the order of their ids, with one Query per partition. */
export async function readActive(table: Table): Promise<ActiveOrganization[]> {
  const shards = Array.from({ length: ACTIVE_SHARDS }, (_, shard) => table.query({ pk: activePartition(shard) }));
  return (await Promise.all(shards))
    .flat()
    .map((item) => Active.parse(item))
    .map(({ sk, at }) => ({ org: storedId<OrganizationId>(sk), at }))
    .sort((one, other) => (one.org < other.org ? -1 : 1));
}

/** Removes an organization from the list, unless the relay has listed the organization again since the list was read. */
export async function removeActive(table: Table, { org, at }: ActiveOrganization): Promise<void> {
  await table.write({
    remove: activeKey(org),
    ConditionExpression: '#at = :at',
    ExpressionAttributeNames: { '#at': 'at' },
    ExpressionAttributeValues: { ':at': at },
    refused: () => 'listed again' as const,
  });
}

/** Organizations that are swept at the same time. */
const WIDTH = 4;
/** Organizations per write of the place. */
const PER_PLACE = 16;

const Place = z.object({ next: z.string() });

/**
 * Calls a function for each organization, beginning with the organization at which the last call stopped. The place of the
 * next group is stored before a group begins. So an organization that ends the process does not keep the organizations
 * behind it waiting.
 * @param active in the order of ids
 * @param isTime whether there is time for another organization
 */
export async function visitOrganizations(
  table: Table,
  sweep: string,
  active: readonly ActiveOrganization[],
  isTime: () => boolean,
  visit: (active: ActiveOrganization) => Promise<void>,
): Promise<void> {
  const isShort = active.length <= PER_PLACE;
  const stored = isShort ? undefined : await table.get(sweepPlaceKey(sweep));
  const next = stored ? Place.parse(stored).next : '';
  const start = Math.max(
    0,
    active.findIndex(({ org }) => org >= next),
  );
  const order = [...active.slice(start), ...active.slice(0, start)];
  for (let i = 0; i < order.length && isTime(); i += PER_PLACE) {
    const after = order[i + PER_PLACE] ?? order[0];
    if (!isShort && after) await table.put({ ...sweepPlaceKey(sweep), v: 1, next: after.org });
    await inParallel(order.slice(i, i + PER_PLACE), WIDTH, async (one) => {
      if (isTime()) await visit(one);
    });
  }
}

/** How often the walk begins at the first organization again. */
export const WALK_EVERY: Micros = 2 * 24 * 3600 * 1_000_000;
/** Organizations of the walk per sweep: 28,800 a day. */
const WALK_AT_ONCE = 100;

const Walk = z.object({ after: z.string(), startedAt: z.number() });

/**
 * Lists the next organizations of the walk over all organizations, and stores the place behind them. The walk reaches
 * organizations that the relay did not list because the stream brought nothing of them at all.
 */
export async function continueWalk(table: Table, now: Micros, atOnce = WALK_AT_ONCE): Promise<void> {
  const item = await table.get(sweepPlaceKey('walk'));
  const { after, startedAt } = item ? Walk.parse(item) : { after: '', startedAt: Number.NEGATIVE_INFINITY };
  if (after === '' && now - startedAt < WALK_EVERY) return;
  // The range includes its first key, which is the last organization of the sweep before.
  const found = await table.query({ pk: organizationList, ...(after !== '' && { from: after }), limit: atOnce + 1 });
  await inParallel(found, WIDTH, async ({ sk }) => {
    if (sk <= after) return;
    // The time 0 lets the first complete turn remove the organization. A time that the relay stored stays.
    const listed = { ...activeKey(storedId<OrganizationId>(sk)), v: 1, at: 0 };
    await table.write(putIfAbsent(listed, () => 'listed' as const));
  });
  const last = found.length > atOnce ? found.at(-1)?.sk : undefined;
  const start = after === '' ? now : startedAt;
  await table.put({ ...sweepPlaceKey('walk'), v: 1, after: last ?? '', startedAt: start });
}
