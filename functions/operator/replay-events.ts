import * as z from 'zod';
import { inParallel } from '#shared/base/parallel.ts';
import { fromSeconds } from '#shared/base/time.ts';
import { indexAt } from '#shared/environments/records/snapshots.ts';
import { type ActionVersions, readActions } from '#shared/notifications/records/actions.ts';
import {
  EVENT_SERIES,
  readNotifiedOrganizations,
  rewindEnvironment,
  rewindRelayed,
} from '#shared/notifications/records/relayed.ts';
import { command, done, refused } from './command.ts';

const WIDTH = 4;

/** The environments whose events an action waited for at any time. */
const environmentsOf = ({ versions }: ActionVersions) => versions.flatMap(({ environments }) => environments);

/**
 * Has every event since an instant looked at again by the next sweeps: whatever was not told to a target that waited
 * for it is told (design §2.7). What was told is in the books and is not told again.
 */
export const replayEvents = command({
  name: 'replay-events',
  schema: z.strictObject({
    /** Epoch seconds. */
    since: z.number().min(0),
    /** One organization only. */
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
      for (const series of EVENT_SERIES) if (await rewindRelayed(table, org, series, at)) rewound += 1;
      const environments = new Set((await readActions(table, org)).flatMap(environmentsOf));
      for (const environment of environments) {
        const before = await indexAt(table, org, environment, at - 1);
        if (await rewindEnvironment(table, org, environment, before)) rewound += 1;
      }
    });
    const message = 'The events since then are looked at again by the next sweep, within five minutes';
    return done(message, { organizations: notified.length, series: rewound });
  },
});
