import { firstIdAt, type OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { type Micros, minus } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { EVENT_SERIES } from '#shared/evidence/events/settled-events.ts';
import { readNotifiedOrganizations } from '#shared/notifications/notified-organizations.ts';
import { type ActionVersions, readActions } from '#shared/notifications/records/actions.ts';
import { listActive } from '#shared/sweeps/active-organizations.ts';
import { rewindPosition } from '#shared/sweeps/positions.ts';
import type { Uses } from '#shared/table/uses.ts';
import { indexAt } from '../records/snapshots.ts';
import { rewindEnvironment } from '../records/sweep-positions.ts';

/** What a replay writes: the positions of sweeps, and the list of organizations that sweeps check. */
export const REPLAY_EVENTS: Uses = { writes: ['RELAYED', '@ACTIVE'] };

/** Organizations that are worked on at the same time. */
const WIDTH = 4;

/** Ids of the environments in any version of an action. */
const environmentsOf = ({ versions }: ActionVersions) => versions.flatMap(({ environments }) => environments);

/**
 * Moves the positions up to which events were relayed back to an instant (rules/storage.md#replay). The next sweeps relay
 * every event since then again and send the deliveries that are missing. Deliveries on record are not sent again.
 *
 * @param only the organization whose events are replayed; without it, those of all organizations with notifications
 * @returns how many organizations have notifications, and how many positions were moved
 */
export async function replayEvents(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  at: Micros,
  only?: OrganizationId,
): Promise<{ organizations: number; positions: number }> {
  const notified = (await readNotifiedOrganizations(table)).filter(({ org }) => only === undefined || org === only);
  let positions = 0;
  await inParallel(notified, WIDTH, async ({ org }) => {
    for (const series of EVENT_SERIES) if (await rewindPosition(table, org, series, firstIdAt(at))) positions += 1;
    const environments = new Set((await readActions(table, org)).flatMap(environmentsOf));
    for (const environment of environments) {
      const before = await indexAt(table, org, environment, minus(at, 1));
      if (await rewindEnvironment(table, org, environment, before)) positions += 1;
    }
    // The sweeps check only the organizations that are listed.
    await listActive(table, org, clock.now());
  });
  return { organizations: notified.length, positions };
}
