import * as z from 'zod';
import { type Id, newId } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import { type Micros, toSeconds } from '#shared/base/time.ts';
import type { Credential } from '#shared/callers/caller.ts';
import type { SessionSecrets } from '#shared/callers/credentials.ts';
import { hashKey, mintCsrfToken, mintSession } from '#shared/callers/credentials.ts';
import type { Request } from '#shared/http/endpoint.ts';
import type { Services } from '#shared/http/services.ts';
import type { Table, Write } from '#shared/table/table.ts';
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

/** Starting, listing and ending sessions (rules/organizations.md#sessions). */

/** A session that was started with a key lasts at most so many seconds: 12 hours. */
export const LONGEST_SESSION = 43_200;
/** A session of a sign-in ends so many seconds after its start or its last renewal: one hour. */
export const SIGN_IN_SESSION = 3_600;
/** No renewal lets a session of a sign-in last longer than so many seconds: 8 hours. */
export const LONGEST_SIGN_IN = 28_800;

export const SessionOut = z
  .object({
    id: z.string(),
    created_at: z.number(),
    expires_at: z.number(),
    api_key_id: z
      .string()
      .nullable()
      .meta({ description: 'Id of the API key that the session was made from; null for a sign-in with the provider' }),
    is_current: z.boolean().meta({ description: 'Whether this request has the cookie of the session' }),
  })
  .meta({ id: 'Session' });
export type SessionOut = z.infer<typeof SessionOut>;

type OfCaller = Pick<Request, 'caller' | 'credential' | 'receivedAt'>;
type Stores = Pick<Services, 'table' | 'clock'>;

/**
 * Starts a session with the key of a request.
 *
 * @returns the session, its secret, which is stored nowhere, and the hashes of sessions that ended for it
 * @throws ServiceError `refused` if the request has a session, or a secret that a rotation replaced
 */
export async function startSession(
  request: OfCaller,
  { table, clock }: Stores,
): Promise<{ session: SessionOut; secrets: SessionSecrets; seconds: number; ended: string[] }> {
  const { principal, key, session: present, endsAt } = request.credential;
  if (present || !key) throw keyNeeded();
  if (key.graceEndsAt !== 0) throw replacedSecret();
  const list = keyListOf(principal);
  const now = clock.now();
  const { session: facts, secrets } = newSession(endOf(endsAt, now), now);
  const session = { ...facts, key: { id: key.id, hash: key.hash } };
  const ended = await retrying(async () => {
    const [audited, sessions] = await Promise.all([auditor(table, request), readSessions(table, list)]);
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
    return outcome === 'again' ? outcome : { hashes: surplus.map(({ hash }) => hash) };
  });
  return {
    session: sessionOut(session, session.id),
    secrets,
    seconds: Math.floor((session.expiresAt - now) / 1_000_000),
    ended: ended.hashes,
  };
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
 * Renews the session of a sign-in: it then lasts another hour, but at most 8 hours from the sign-in
 * (rules/sign-in.md#session-of-a-sign-in).
 *
 * @throws ServiceError `refused` for a session that was started with a key, `not-found` if the session ended
 */
export async function renewSession(
  { credential: { principal } }: OfCaller,
  present: NonNullable<Credential['session']>,
  { table, clock }: Stores,
): Promise<{ session: SessionOut; hash: string }> {
  if (!present.claims) throw keyNeeded();
  const list = keyListOf(principal);
  const renewed = await retrying(async () => {
    const session = await readSession(table, list, present.id);
    const now = clock.now();
    if (!session || session.expiresAt <= now) throw sessionNotFound();
    const expiresAt = renewedEnd(session, now);
    const outcome = await table.transact(sessionRenewalWrites(list, session, expiresAt));
    return outcome === 'again' ? outcome : { ...session, expiresAt };
  });
  return { session: sessionOut(renewed, present.id), hash: renewed.hash };
}

const renewedEnd = ({ createdAt }: { createdAt: Micros }, now: Micros): Micros =>
  Math.min(now + SIGN_IN_SESSION * 1_000_000, createdAt + LONGEST_SIGN_IN * 1_000_000);

/** @param keyEndsAt end of the key in microseconds; 0 = never */
const endOf = (keyEndsAt: Micros, now: Micros): Micros => {
  const longest = now + LONGEST_SESSION * 1_000_000;
  return keyEndsAt === 0 ? longest : Math.min(longest, keyEndsAt);
};

/** Lists the active sessions of the caller, the oldest first. */
export async function listSessions({ credential }: OfCaller, { table, clock }: Stores): Promise<SessionOut[]> {
  const sessions = await readSessions(table, keyListOf(credential.principal));
  const active = await activeSessions(table, sessions, clock.now());
  return active.map((session) => sessionOut(session, credential.session?.id));
}

/**
 * Ends a session of the caller.
 *
 * @returns the hash of its secret
 * @throws ServiceError `not-found` for a session that the caller does not have, and for one that ended
 */
export async function endSession(request: OfCaller, id: Id, { table, clock }: Stores): Promise<string> {
  const { principal } = request.credential;
  const list = keyListOf(principal);
  const { hash } = await retrying(async () => {
    const [audited, session] = await Promise.all([auditor(table, request), readSession(table, list, id)]);
    if (!session || session.expiresAt <= clock.now()) throw sessionNotFound();
    const outcome = await table.transact([
      ...sessionEndWrites(list, session),
      ...audited(endOfSession(session, principal)),
    ]);
    return outcome === 'again' ? outcome : session;
  });
  return hash;
}

/** Finds the audit log of the caller's sessions: that of the account's organization, or of the user's personal one. */
async function auditor(
  table: Table,
  { caller, credential, receivedAt }: OfCaller,
): Promise<(change: AuditedChange) => Write[]> {
  const stamp = stampOf(caller, receivedAt);
  const { org, name } = credential.principal;
  return org === undefined ? personalLog(table, name, stamp) : (change) => [auditWrite(org, stamp, change)];
}

type Described = Pick<PrincipalSessionRecord, 'id' | 'key'>;

const subjectOf = ({ id }: Described, { name }: { name: string }) => ({ type: 'session', id, name });

const endOfSession = (session: Described, principal: { name: string }): AuditedChange => ({
  kind: 'session.ended',
  subject: subjectOf(session, principal),
  before: { api_key_id: session.key?.id ?? null },
});

const sessionOut = (
  { id, key, createdAt, expiresAt }: Omit<PrincipalSessionRecord, 'v' | 'hash'>,
  current: Id | undefined,
): SessionOut => ({
  id,
  created_at: toSeconds(createdAt),
  expires_at: toSeconds(expiresAt),
  api_key_id: key?.id ?? null,
  is_current: id === current,
});
