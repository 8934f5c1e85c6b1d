import * as z from 'zod';
import { hashKey, mintKey } from '#shared/http/credentials.ts';
import { newId } from '#shared/ids.ts';
import { fromSeconds } from '#shared/time.ts';
import { command, done, refused } from './command.ts';

/** The latest expiry that keys have, in epoch seconds: the year 2100 (semantics §12.4). */
const LATEST_EXPIRY = 4_102_444_800;

/** Issues an API key of a user. The answer is the only place where it ever stands. */
export const issueKey = command({
  name: 'issue-key',
  schema: z.strictObject({
    user: z.string(),
    description: z.string().min(1).max(256),
    /** Epoch seconds; 0 = never. */
    expires_at: z.int().min(0).max(LATEST_EXPIRY).default(0),
  }),
  run: async ({ user, description, expires_at }, { directory, clock }) => {
    const owner = await directory.user(user);
    if (!owner) return refused(`There is no user '${user}'`);
    const now = clock.now();
    const expiresAt = fromSeconds(expires_at);
    if (expires_at !== 0 && expiresAt <= now) return refused('The expiry lies in the past');
    const key = mintKey();
    const id = newId(now);
    const principal = { kind: 'user' as const, id: owner.id, name: user };
    await directory.addKey({ id, hash: hashKey(key), principal, description, createdAt: now, expiresAt });
    return done(`A key for '${user}'; it is shown this once`, { id, key, expires_at });
  },
});
