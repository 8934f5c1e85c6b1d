import { type Id, isId } from '#shared/base/ids.ts';
import { again, retrying } from '#shared/base/retry.ts';
import type { Micros } from '#shared/base/time.ts';
import { change, exists, onlyIf } from '#shared/table/expressions.ts';
import { keyText, readRecord, type Table, type Write } from '#shared/table/table.ts';
import { ttlAfter } from './api-keys.ts';
import { ApiKeyRecord, PrincipalSessionRecord, type SessionRecord } from './directory-records.ts';
import { apiKeyKey, principalSessionKey, principalSessionList, sessionKey } from './keys.ts';

/**
 * Sessions of users and service accounts (rules/organizations.md#sessions). A session is found by the hash of its secret,
 * and listed for its principal under the name of the principal's list of keys. A session that was started with a key is
 * bound to the secret of the key: nothing has to be written for the end of the key to end it.
 */

/** A principal has about so many sessions. The list is read whole, and one more session ends the oldest. */
const MOST_SESSIONS = 50;
/** A start removes at most so many sessions, so that its transaction stays small. */
const MOST_REMOVED = 20;

/** Reads the entries of a list of sessions, the oldest first, also of sessions that ended. */
export const readSessions = async (table: Table, list: string): Promise<PrincipalSessionRecord[]> =>
  (await table.query({ pk: principalSessionList(list) })).map((item) => PrincipalSessionRecord.parse(item));

/** Reads one entry of a list of sessions. */
export const readSession = async (table: Table, list: string, id: Id): Promise<PrincipalSessionRecord | undefined> =>
  isId(id) ? readRecord(table, principalSessionKey(list, id), PrincipalSessionRecord) : undefined;

/** Returns the sessions that are still good: not expired, and with a key that is neither expired, revoked nor rotated. */
export async function activeSessions(
  table: Table,
  sessions: readonly PrincipalSessionRecord[],
  now: Micros,
): Promise<PrincipalSessionRecord[]> {
  const lasting = sessions.filter(({ expiresAt }) => expiresAt > now);
  const keys = await table.getMany(lasting.flatMap(({ key }) => (key ? [apiKeyKey(key.hash)] : [])));
  return lasting.filter(({ key }) => {
    if (!key) return true;
    const item = keys.get(keyText(apiKeyKey(key.hash)));
    const record = item && ApiKeyRecord.parse(item);
    return record && !record.revoked && record.graceEndsAt === 0 && (record.expiresAt === 0 || record.expiresAt > now);
  });
}

/** Returns the oldest sessions that have to end before the principal starts one more. */
export const surplusSessions = (present: readonly PrincipalSessionRecord[]): PrincipalSessionRecord[] =>
  present.slice(0, Math.min(MOST_REMOVED, Math.max(0, present.length - MOST_SESSIONS + 1)));

/** Returns the writes that start a session. */
export function sessionWrites(list: string, { principal, ...session }: SessionRecord): Write[] {
  const ttl = ttlAfter(session.expiresAt);
  return [
    { put: { ...sessionKey(session.hash), ...session, principal, ttl } },
    { put: { ...principalSessionKey(list, session.id), ...session, ttl } },
  ];
}

/** Returns the writes that give a session a later end. They are refused with `again` if it ended since its entry was read. */
export const sessionRenewalWrites = (
  list: string,
  { id, hash }: PrincipalSessionRecord,
  expiresAt: Micros,
): Write<'again'>[] =>
  [principalSessionKey(list, id), sessionKey(hash)].map((key) => ({
    update: key,
    ...change({ set: { expiresAt, ttl: ttlAfter(expiresAt) } }, exists()),
    refused: again,
  }));

/** Returns the writes that end a session. They are refused with `again` if it ended since its entry was read. */
export const sessionEndWrites = (list: string, { id, hash }: PrincipalSessionRecord): Write<'again'>[] => [
  { remove: principalSessionKey(list, id), ...onlyIf(exists()), refused: again },
  { remove: sessionKey(hash) },
];

/** Ends the sessions of a user that began with a sign-in. @returns how many there were */
export async function endSignInSessions(table: Table, list: string): Promise<number> {
  const ofSignIns = (sessions: readonly PrincipalSessionRecord[]) => sessions.filter(({ key }) => key === undefined);
  let ended = 0;
  await retrying(async () => {
    const some = ofSignIns(await readSessions(table, list)).slice(0, MOST_REMOVED);
    if (some.length === 0) return 'done';
    const outcome = await table.transact(some.flatMap((session) => sessionEndWrites(list, session)));
    if (outcome === 'done') ended += some.length;
    return 'again';
  });
  return ended;
}
