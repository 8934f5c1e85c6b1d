import * as z from 'zod';
import { newId } from '#shared/base/ids.ts';
import { fromSeconds } from '#shared/base/time.ts';
import { hashKey, mintKey } from '#shared/callers/credentials.ts';
import { LATEST_EXPIRY } from '#shared/organizations/key-forms.ts';
import { newKeyWrites } from '#shared/organizations/records/api-keys.ts';
import { OPERATOR } from '#shared/organizations/records/audit.ts';
import { personalLog } from '#shared/organizations/records/personal-log.ts';
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
  run: async ({ user, description, expires_at }, { directory, table, clock }) => {
    const owner = await directory.user(user);
    if (!owner) return refused(`There is no user '${user}'`);
    const now = clock.now();
    const expiresAt = fromSeconds(expires_at);
    if (expires_at !== 0 && expiresAt <= now) return refused('The expiry lies in the past');
    const key = mintKey();
    const id = newId(now);
    const principal = { kind: 'user' as const, id: owner.id, name: user };
    const audited = await personalLog(table, user, { at: now, actor: OPERATOR });
    await table.transact([
      ...newKeyWrites({ id, hash: hashKey(key), principal, description, createdAt: now, expiresAt }),
      ...audited({
        kind: 'api_key.issued',
        subject: { type: 'api_key', id, name: description },
        after: { owner: user, expires_at },
      }),
    ]);
    return done(`A key for '${user}'; it is shown this once`, { id, key, expires_at });
  },
});
