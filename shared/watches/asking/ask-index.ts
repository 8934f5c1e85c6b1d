import type { Id, OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { findHolders } from '#shared/components/builds/find-holders.ts';
import type { HolderPlace } from '#shared/components/builds/places.ts';
import { recordAsked } from '../records/asked.ts';
import { readWatch } from '../records/watches.ts';
import { questionOf } from '../rules/asked-question.ts';
import { recordMatches } from './record-matches.ts';

/** Builds that one step looks at. */
const AT_ONCE = 100;

/** Where a question to the whole index was left, and when it began. */
export interface AskedPlace {
  since: Micros;
  place: HolderPlace;
}

interface AskingContext extends Pick<Stores, 'table' | 'clock'> {
  isTime: () => boolean;
  handOver: (rest: AskedPlace) => Promise<void>;
}

/**
 * Asks a watch about everything that is in the index (rules/watches.md#asked-of-what-there-is). If the time of the call is over, the rest is
 * handed over. Repeated calls record nothing twice. A watch that was deleted is skipped.
 *
 * @param from null at the beginning
 */
export async function askIndex(
  context: AskingContext,
  org: OrganizationId,
  { name, watch: id }: { name: string; watch: Id },
  from: AskedPlace | null,
): Promise<void> {
  const { table, clock, isTime, handOver } = context;
  const watch = await readWatch(table, org, name);
  if (watch?.id !== id) return;
  const since = from?.since ?? clock.now();
  let place: HolderPlace | undefined = from?.place;
  for (;;) {
    const { holders, next } = await findHolders(table, org, questionOf(watch), { place, limit: AT_ONCE });
    const held = holders.filter((holder) => holder.held.some(({ unknown }) => unknown === null));
    await recordMatches(
      context,
      org,
      held.map(({ build }) => ({ watch, build })),
    );
    if (next === null) break;
    if (!isTime()) return handOver({ since, place: next });
    place = next;
  }
  await recordAsked(table, org, id, since);
}
