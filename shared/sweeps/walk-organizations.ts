import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { type Duration, type Micros, StoredMicros } from '#shared/base/time.ts';
import { putIfAbsent, type Table } from '#shared/table/table.ts';
import { activeKey, sweepPositionKey } from './keys.ts';

/**
 * Reads ids of organizations in their order. Sweeps know no list of organizations, so their callers hand the read in.
 * @param from the first id that is read; an empty text stands for the beginning
 * @param limit the most ids that are read
 */
export type ReadOrganizations = (table: Table, from: string, limit: number) => Promise<OrganizationId[]>;

/** How often the walk begins at the first organization again. */
export const WALK_EVERY: Duration = 2 * 24 * 3600 * 1_000_000;
/** Organizations of the walk per sweep: 28,800 a day. */
const WALK_AT_ONCE = 100;
/** Organizations that are listed at the same time. */
const WIDTH = 4;

const Walk = z.object({ after: z.string(), startedAt: StoredMicros });

/**
 * Lists the next organizations of the walk over all organizations, and stores the position behind them. The walk reaches
 * organizations that the relay did not list because the stream brought nothing of them at all.
 */
export async function continueWalk(
  table: Table,
  readOrganizations: ReadOrganizations,
  now: Micros,
  atOnce = WALK_AT_ONCE,
): Promise<void> {
  const item = await table.get(sweepPositionKey('walk'));
  const { after, startedAt } = item ? Walk.parse(item) : { after: '', startedAt: Number.NEGATIVE_INFINITY };
  if (after === '' && now - startedAt < WALK_EVERY) return;
  // The first id is the last organization of the sweep before.
  const found = await readOrganizations(table, after, atOnce + 1);
  await inParallel(found, WIDTH, async (org) => {
    if (org <= after) return;
    // The time 0 lets the first complete visit remove the organization. A time that the relay stored stays.
    await table.write(putIfAbsent({ ...activeKey(org), v: 1, at: 0, since: now }, () => 'listed' as const));
  });
  const last = found.length > atOnce ? found.at(-1) : undefined;
  const start = after === '' ? now : startedAt;
  await table.put({ ...sweepPositionKey('walk'), v: 1, after: last ?? '', startedAt: start });
}
