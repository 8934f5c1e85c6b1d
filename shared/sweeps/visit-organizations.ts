import * as z from 'zod';
import { inParallel } from '#shared/base/parallel.ts';
import type { Table } from '#shared/table/table.ts';
import type { ActiveOrganization } from './active-organizations.ts';
import { sweepPositionKey } from './keys.ts';

/** Organizations that are visited at the same time. */
const WIDTH = 8;
/** Organizations per write of the position. */
const PER_POSITION = 16;

const Position = z.object({ next: z.string() });

/**
 * Calls a function for each organization, beginning with the organization at which the last call stopped
 * (`rules/storage.md#visits-of-organizations`). The position of the next group is stored before a group begins. So an
 * organization that ends the process does not keep the organizations behind it waiting.
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
  const isShort = active.length <= PER_POSITION;
  const stored = isShort ? undefined : await table.get(sweepPositionKey(sweep));
  const next = stored ? Position.parse(stored).next : '';
  const start = Math.max(
    0,
    active.findIndex(({ org }) => org >= next),
  );
  const order = [...active.slice(start), ...active.slice(0, start)];
  for (let i = 0; i < order.length && isTime(); i += PER_POSITION) {
    const after = order[i + PER_POSITION] ?? order[0];
    if (!isShort && after) await table.put({ ...sweepPositionKey(sweep), v: 1, next: after.org });
    await inParallel(order.slice(i, i + PER_POSITION), WIDTH, async (one) => {
      if (isTime()) await visit(one);
    });
  }
}
