import { type Id, newId } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import { earliestOf, type Micros, plus, toSeconds } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Credential, OwnCall } from '#shared/callers/caller.ts';
import { hashKey, mintCsrfToken, mintSession, type SessionSecrets } from '#shared/callers/credentials.ts';
import type { Table, Write } from '#shared/table/table.ts';
import type { Uses } from '#shared/table/uses.ts';
import { keyListOf } from './records/api-keys.ts';
import { type AuditedChange, auditWrite, stampOf } from './records/audit.ts';
import type { PrincipalSessionRecord, SessionRecord } from './records/directory-records.ts';
import { personalLog } from './records/personal-log.ts';
import {
  activeSessions,
  readSession,
  readSessions,
  sessionEndWrites,
  sessionRenewalWrites,
  sessionWrites,
  surplusSessions,
} from './records/sessions.ts';
import { keyNeeded, replacedSecret, sessionNotFound } from './rules/sentences.ts';

/** The sessions of a caller (rules/organizations.md#sessions). */

export const START_SESSION: Uses = {
  writes: ['@SESSION', '@SESSIONS', 'AUDIT'],
  removes: ['@SESSION', '@SESSIONS'],
};
export const END_SESSION: Uses = { writes: ['AUDIT'], removes: ['@SESSION', '@SESSIONS'] };

/** A session that was started with a key lasts at most so many seconds: 12 hours. */
const LONGEST_SESSION = 43_200;
/** A session of a sign-in ends so many seconds after its start or its last renewal: one hour. */
export const SIGN_IN_SESSION = 3_600;
/** No renewal lets a session of a sign-in last longer than so many seconds: 8 hours. */
export const LONGEST_SIGN_IN = 28_800;

/** A session as use cases show it. */
export type Session = Pick<PrincipalSessionRecord, 'id' | 'key' | 'createdAt' | 'expiresAt'>;

type Stored = Pick<Stores, 'table' | 'clock'>;

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

/**
 * Starts a session with the key of the caller.
 *
 * @throws ServiceError `refused` if the caller has a session, or a secret that a rotation replaced
 */
export async function startSession({ table, clock }: Stored, by: OwnCall): Promise<StartedSession> {
  const { principal, key, session: present, endsAt } = by.credential;
  if (present || !key) throw keyNeeded();
  if (key.graceEndsAt !== 0) throw replacedSecret();
  const list = keyListOf(principal);
  const now = clock.now();
  const latest = plus(now, LONGEST_SESSION * 1_000_000);
  const { session: facts, secrets } = newSession(endsAt === 0 ? latest : earliestOf(latest, endsAt), now);
  const session = { ...facts, key: { id: key.id, hash: key.hash } };
  const { ended } = await retrying(async () => {
    const [audited, sessions] = await Promise.all([sessionLog(table, by), readSessions(table, list)]);
    const surplus = surplusSessions(sessions);
    const outcome = await table.transact([
      ...sessionWrites(list, { ...session, principal }),
      ...audited({
        kind: 'session.started',
        subject: { type: 'session', id: session.id, name: principal.name },
        after: { api_key_id: key.id, expires_at: toSeconds(session.expiresAt) },
      }),
      ...surplus.flatMap((old) => sessionEndWrites(list, old)),
      ...surplus.filter(({ expiresAt }) => expiresAt > now).flatMap((old) => audited(endOfSession(old, principal))),
    ]);
    return outcome === 'again' ? outcome : { ended: surplus.map(({ hash }) => hash) };
  });
  return { session, secrets, seconds: Math.floor((session.expiresAt - now) / 1_000_000), ended };
}

/**
 * Renews the session of a sign-in: it then lasts another hour, but at most 8 hours from the sign-in
 * (rules/sign-in.md#session-of-a-sign-in).
 *
 * @param present the session of the request
 * @returns the session and the hash of its secret
 * @throws ServiceError `refused` for a session that was started with a key, `not-found` if the session ended
 */
export async function renewSession(
  { table, clock }: Stored,
  { principal, claims }: Pick<Credential, 'principal' | 'claims'>,
  present: NonNullable<Credential['session']>,
): Promise<Session & { hash: string }> {
  if (!claims) throw keyNeeded();
  const list = keyListOf(principal);
  return retrying(async () => {
    const session = await lastingSession({ table, clock }, list, present.id);
    const now = clock.now();
    const expiresAt = earliestOf(
      plus(now, SIGN_IN_SESSION * 1_000_000),
      plus(session.createdAt, LONGEST_SIGN_IN * 1_000_000),
    );
    const outcome = await table.transact(sessionRenewalWrites(list, session, expiresAt));
    return outcome === 'again' ? outcome : { ...session, expiresAt };
  });
}

/**
 * Ends a session of the caller.
 *
 * @returns the hash of its secret
 * @throws ServiceError `not-found` for a session that the caller does not have, and for one that ended
 */
export async function endSession({ table, clock }: Stored, by: OwnCall, id: Id): Promise<string> {
  const { principal } = by.credential;
  const list = keyListOf(principal);
  const { hash } = await retrying(async () => {
    const [audited, session] = await Promise.all([sessionLog(table, by), lastingSession({ table, clock }, list, id)]);
    const outcome = await table.transact([
      ...sessionEndWrites(list, session),
      ...audited(endOfSession(session, principal)),
    ]);
    return outcome === 'again' ? outcome : session;
  });
  return hash;
}

/** Lists the active sessions of the caller, the oldest first. */
export const listSessions = async (
  { table, clock }: Stored,
  { principal }: Pick<Credential, 'principal'>,
): Promise<Session[]> => activeSessions(table, await readSessions(table, keyListOf(principal)), clock.now());

/** @throws ServiceError `not-found` */
async function lastingSession({ table, clock }: Stored, list: string, id: Id): Promise<PrincipalSessionRecord> {
  const session = await readSession(table, list, id);
  if (!session || session.expiresAt <= clock.now()) throw sessionNotFound();
  return session;
}

/** Finds the audit log of the caller's sessions: that of the account's organization, or of the user's personal one. */
async function sessionLog(
  table: Table,
  { caller, credential, receivedAt }: OwnCall,
): Promise<(change: AuditedChange) => Write[]> {
  const stamp = stampOf(caller, receivedAt);
  const { org, name } = credential.principal;
  return org === undefined ? personalLog(table, name, stamp) : (change) => [auditWrite(org, stamp, change)];
}

const endOfSession = ({ id, key }: PrincipalSessionRecord, { name }: { name: string }): AuditedChange => ({
  kind: 'session.ended',
  subject: { type: 'session', id, name },
  before: { api_key_id: key?.id ?? null },
});
