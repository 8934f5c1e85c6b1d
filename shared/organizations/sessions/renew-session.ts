import { retrying } from '#shared/base/retry.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Credential } from '#shared/callers/caller.ts';
import { keyListOf } from '../records/api-keys.ts';
import { readSession, sessionRenewalWrites } from '../records/sessions.ts';
import { keyNeeded, sessionNotFound } from '../rules/sentences.ts';
import { LONGEST_SIGN_IN, SIGN_IN_SESSION } from './new-session.ts';
import type { Session } from './session-log.ts';

/**
 * Renews the session of a sign-in: it then lasts another hour, but at most 8 hours from the sign-in
 * (rules/sign-in.md#session-of-a-sign-in).
 *
 * @param present the session of the request
 * @returns the session and the hash of its secret
 * @throws ServiceError `refused` for a session that was started with a key, `not-found` if the session ended
 */
export async function renewSession(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  { principal }: Pick<Credential, 'principal'>,
  present: NonNullable<Credential['session']>,
): Promise<Session & { hash: string }> {
  if (!present.claims) throw keyNeeded();
  const list = keyListOf(principal);
  return retrying(async () => {
    const session = await readSession(table, list, present.id);
    const now = clock.now();
    if (!session || session.expiresAt <= now) throw sessionNotFound();
    const expiresAt = renewedEnd(session, now);
    const outcome = await table.transact(sessionRenewalWrites(list, session, expiresAt));
    return outcome === 'again' ? outcome : { ...session, expiresAt };
  });
}

const renewedEnd = ({ createdAt }: { createdAt: Micros }, now: Micros): Micros =>
  Math.min(now + SIGN_IN_SESSION * 1_000_000, createdAt + LONGEST_SIGN_IN * 1_000_000);
