import { retrying } from '#shared/base/retry.ts';
import { type Micros, toSeconds } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { SessionSecrets } from '#shared/callers/credentials.ts';
import type { Uses } from '#shared/table/uses.ts';
import { keyListOf } from '../records/api-keys.ts';
import { readSessions, sessionEndWrites, sessionWrites, surplusSessions } from '../records/sessions.ts';
import { keyNeeded, replacedSecret } from '../rules/sentences.ts';
import { newSession } from './new-session.ts';
import { endOfSession, type Session, type SessionOwner, sessionLog, subjectOf } from './session-log.ts';

/** What starting or renewing a session writes. */
export const START_SESSION: Uses = {
  writes: ['@SESSION', '@SESSIONS', 'AUDIT'],
  removes: ['@SESSION', '@SESSIONS'],
};

/** A session that was started with a key lasts at most so many seconds: 12 hours. */
const LONGEST_SESSION = 43_200;

/** A session that began. */
interface StartedSession {
  session: Session;
  /** Stored nowhere. */
  secrets: SessionSecrets;
  /** How long the session lasts. */
  seconds: number;
  /** Hashes of sessions that ended for it. */
  ended: readonly string[];
}

/**
 * Starts a session with the key of the caller (rules/organizations.md#sessions).
 *
 * @throws ServiceError `refused` if the caller has a session, or a secret that a rotation replaced
 */
export async function startSession(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  by: SessionOwner,
): Promise<StartedSession> {
  const { principal, key, session: present, endsAt } = by.credential;
  if (present || !key) throw keyNeeded();
  if (key.graceEndsAt !== 0) throw replacedSecret();
  const list = keyListOf(principal);
  const now = clock.now();
  const { session: facts, secrets } = newSession(endOf(endsAt, now), now);
  const session = { ...facts, key: { id: key.id, hash: key.hash } };
  const { ended } = await retrying(async () => {
    const [audited, sessions] = await Promise.all([sessionLog(table, by), readSessions(table, list)]);
    const surplus = surplusSessions(sessions);
    const outcome = await table.transact([
      ...sessionWrites(list, { ...session, principal }),
      ...audited({
        kind: 'session.started',
        subject: subjectOf(session, principal),
        after: { api_key_id: key.id, expires_at: toSeconds(session.expiresAt) },
      }),
      ...surplus.flatMap((old) => sessionEndWrites(list, old)),
      ...surplus.filter(({ expiresAt }) => expiresAt > now).flatMap((old) => audited(endOfSession(old, principal))),
    ]);
    return outcome === 'again' ? outcome : { ended: surplus.map(({ hash }) => hash) };
  });
  return { session, secrets, seconds: Math.floor((session.expiresAt - now) / 1_000_000), ended };
}

/** @param keyEndsAt end of the key in microseconds; 0 = never */
const endOf = (keyEndsAt: Micros, now: Micros): Micros => {
  const longest = now + LONGEST_SESSION * 1_000_000;
  return keyEndsAt === 0 ? longest : Math.min(longest, keyEndsAt);
};
