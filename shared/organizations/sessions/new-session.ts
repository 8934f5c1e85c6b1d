import { newId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { hashKey, mintCsrfToken, mintSession } from '#shared/callers/credentials.ts';
import type { SessionRecord } from '../records/directory-records.ts';

/** A session of a sign-in ends so many seconds after its start or its last renewal: one hour. */
export const SIGN_IN_SESSION = 3_600;
/** No renewal lets a session of a sign-in last longer than so many seconds: 8 hours. */
export const LONGEST_SIGN_IN = 28_800;

/** Makes the secrets of a session, and the facts that are stored of every session. */
export function newSession(expiresAt: Micros, now: Micros) {
  const secrets = { secret: mintSession(), csrf: mintCsrfToken() };
  const session = {
    v: 1 as const,
    id: newId(now),
    hash: hashKey(secrets.secret),
    csrf: hashKey(secrets.csrf),
    createdAt: now,
    expiresAt,
  } satisfies Omit<SessionRecord, 'principal'>;
  return { session, secrets };
}
