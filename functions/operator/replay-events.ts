import * as z from 'zod';
import { firstIdAt } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { fromSeconds } from '#shared/base/time.ts';
import { indexAt } from '#shared/environments/records/snapshots.ts';
import { rewindEnvironment } from '#shared/environments/records/sweep-positions.ts';
import { EVENT_SERIES } from '#shared/evidence/events/settled-events.ts';
import { readNotifiedOrganizations } from '#shared/notifications/notified-organizations.ts';
import { type ActionVersions, readActions } from '#shared/notifications/records/actions.ts';
import { listActive } from '#shared/sweeps/active-organizations.ts';
import { rewindPosition } from '#shared/sweeps/positions.ts';
import { command, done, refused } from './command.ts';

const WIDTH = 4;

/** Ids of the environments in any version of an action. */
const environmentsOf = ({ versions }: ActionVersions) => versions.flatMap(({ environments }) => environments);

/**
 * Sets the places up to which events were relayed back to an instant (rules/storage.md#replay). The next sweeps relay
 * every event since then again and send the deliveries that are missing. Deliveries on record are not sent again.
 */
export const replayEvents = command({
  name: 'replay-events',
  schema: z.strictObject({
    /** Epoch seconds. */
    since: z.number().min(0),
    /** If given, only the events of this organization are replayed. */
    organization: z.string().optional(),
  }),
  run: async ({ since, organization }, { table, directory, clock }) => {
    const at = fromSeconds(since);
    if (at > clock.now()) return refused('The instant lies in the future');
    const only = organization === undefined ? undefined : await directory.organization(organization);
    if (organization !== undefined && !only) return refused(`There is no organization '${organization}'`);
    const notified = (await readNotifiedOrganizations(table)).filter(({ org }) => !only || org === only.id);
    let rewound = 0;
    await inParallel(notified, WIDTH, async ({ org }) => {
      for (const series of EVENT_SERIES) if (await rewindPosition(table, org, series, firstIdAt(at))) rewound += 1;
      const environments = new Set((await readActions(table, org)).flatMap(environmentsOf));
      for (const environment of environments) {
        const before = await indexAt(table, org, environment, at - 1);
        if (await rewindEnvironment(table, org, environment, before)) rewound += 1;
      }
      // The sweeps check only the organizations that are listed.
      await listActive(table, org, clock.now());
    });
    const message = 'The next sweep relays the events since then again, within five minutes';
    return done(message, { organizations: notified.length, series: rewound });
  },
});
