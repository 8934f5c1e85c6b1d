import type { OrganizationId } from '#shared/base/ids.ts';
import { type Duration, EPOCH, minus } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { expansionMessage } from '#shared/environments/expand-message.ts';
import type { Queue } from '#shared/queues/queue.ts';
import { SETTLING_MICROS } from '#shared/series/milestones.ts';
import type { Uses } from '#shared/table/uses.ts';
import { readAsked, recordSent } from '../records/asked.ts';
import { readWatches } from '../records/watches.ts';

/** What the sweep writes. */
export const SWEEP_WATCHES: Uses = { writes: ['WATCH'] };

const MINUTE: Duration = 60_000_000;
/** A watch asks the whole index again after this time: an artifact can be reported after its SBOM, and a recall can end. */
const ASKED_EVERY: Duration = 24 * 60 * MINUTE;
/** A message that was sent is given this time before another one is sent. */
const PATIENCE: Duration = 15 * MINUTE;

/**
 * Has watches ask the whole index that have not done so for a day, and new ones whose message was lost (rules/watches.md#asked-of-what-there-is).
 * Costs one Query in an organization without watches.
 */
export async function sweepWatches(
  { table, clock, expansions }: Pick<Stores, 'table' | 'clock'> & { expansions: Queue },
  org: OrganizationId,
): Promise<void> {
  const watches = await readWatches(table, org);
  if (watches.length === 0) return;
  const asked = await readAsked(table, org);
  const now = clock.now();
  const due = watches.filter(({ id, createdAt }) => {
    const { at, sent } = asked.get(id) ?? { at: EPOCH, sent: EPOCH };
    const isDue = at === EPOCH ? createdAt < minus(now, SETTLING_MICROS) : at < minus(now, ASKED_EVERY);
    return isDue && sent <= minus(now, PATIENCE);
  });
  for (const { id, name } of due) {
    if (!(await recordSent(table, org, id, { now, within: PATIENCE }))) continue;
    await expansions.send([expansionMessage({ work: 'watch', org, watch: id, name })]);
  }
}
