import * as z from 'zod';
import { LATEST_EXPIRY } from '#functions/forms/key-forms.ts';
import { fromSeconds } from '#shared/base/time.ts';
import { issueKeyOfUser } from '#shared/organizations/keys/issue-key.ts';
import { command, done, refused } from './command.ts';

/** Issues an API key for a user. Only the hash is stored, so the answer is the only place that shows the key. */
export const issueKey = command({
  name: 'issue-key',
  schema: z.strictObject({
    user: z.string(),
    description: z.string().min(1).max(256),
    /** Epoch seconds. 0 means that the key does not expire. */
    expires_at: z.int().min(0).max(LATEST_EXPIRY).default(0),
  }),
  run: async ({ user, description, expires_at }, services) => {
    const issued = await issueKeyOfUser(services, { user, description, expiresAt: fromSeconds(expires_at) });
    if (issued === 'unknown') return refused(`There is no user '${user}'`);
    if (issued === 'in the past') return refused('The expiry lies in the past');
    const { key, secret } = issued;
    return done(`A key for '${user}'; it is shown this once`, { id: key.id, key: secret, expires_at });
  },
});
