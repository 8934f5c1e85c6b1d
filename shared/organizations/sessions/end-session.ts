import type { Id } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Uses } from '#shared/table/uses.ts';
import { keyListOf } from '../records/api-keys.ts';
import { readSession, sessionEndWrites } from '../records/sessions.ts';
import { sessionNotFound } from '../rules/sentences.ts';
import { endOfSession, type SessionOwner, sessionLog } from './session-log.ts';

/** What ending a session writes. */
export const END_SESSION: Uses = { writes: ['AUDIT'], removes: ['@SESSION', '@SESSIONS'] };

/**
 * Ends a session of the caller (rules/organizations.md#sessions).
 *
 * @returns the hash of its secret
 * @throws ServiceError `not-found` for a session that the caller does not have, and for one that ended
 */
export async function endSession(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  by: SessionOwner,
  id: Id,
): Promise<string> {
  const { principal } = by.credential;
  const list = keyListOf(principal);
  const { hash } = await retrying(async () => {
    const [audited, session] = await Promise.all([sessionLog(table, by), readSession(table, list, id)]);
    if (!session || session.expiresAt <= clock.now()) throw sessionNotFound();
    const outcome = await table.transact([
      ...sessionEndWrites(list, session),
      ...audited(endOfSession(session, principal)),
    ]);
    return outcome === 'again' ? outcome : session;
  });
  return hash;
}
