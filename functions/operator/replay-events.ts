import * as z from 'zod';
import { fromSeconds } from '#shared/base/time.ts';
import { replayEvents as replay } from '#shared/environments/sweeps/replay-events.ts';
import { command, done, refused } from './command.ts';

/**
 * Lets the next sweeps relay every event since an instant again, and send the deliveries that are missing
 * (rules/storage.md#replay).
 */
export const replayEvents = command({
  name: 'replay-events',
  schema: z.strictObject({
    /** Epoch seconds. */
    since: z.number().min(0),
    /** If given, only the events of this organization are replayed. */
    organization: z.string().optional(),
  }),
  run: async ({ since, organization }, services) => {
    const at = fromSeconds(since);
    if (at > services.clock.now()) return refused('The instant lies in the future');
    const only = organization === undefined ? undefined : await services.directory.organization(organization);
    if (organization !== undefined && !only) return refused(`There is no organization '${organization}'`);
    const { organizations, positions } = await replay(services, at, only?.id);
    const message = 'The next sweep relays the events since then again, within five minutes';
    return done(message, { organizations, series: positions });
  },
});
