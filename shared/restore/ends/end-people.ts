import { isDeepStrictEqual } from 'node:util';
import { type Id, type PrincipalId, storedId } from '#shared/base/ids.ts';
import { batchesOf } from '#shared/base/parallel.ts';
import { retrying } from '#shared/base/retry.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { readKey, revocationWrites } from '#shared/organizations/records/api-keys.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import { ApiKeyRecord, PrincipalKeyRecord, type UserRecord } from '#shared/organizations/records/directory-records.ts';
import { setIdentity } from '#shared/organizations/records/identities.ts';
import { apiKeyKey, principalKeyList } from '#shared/organizations/records/keys.ts';
import type { Member } from '#shared/organizations/records/members.ts';
import { readSessions, sessionEndWrites } from '#shared/organizations/records/sessions.ts';
import { readRecord, type Table } from '#shared/table/table.ts';
import { commit } from '../context.ts';
import type { End, Report } from '../report.ts';
import { rotationOf } from './end-keys.ts';

/** Ends of what belongs to users and to no organization. No audit entry says that they ended, so both tables are compared. */

interface People {
  stores: Pick<Stores, 'table' | 'clock'>;
  from: Table | undefined;
  report: Report;
}

/** Sessions that one transaction ends; each is two items. */
const SESSIONS_AT_ONCE = 40;

const endOfUser = (kind: string, { id, name }: { id: string; name: string }): End => ({
  organization: null,
  kind,
  name,
  id,
  at: null,
  by: null,
});

/**
 * Ends all sessions of a principal: nothing says which of them ended after the instant, and people can sign in again.
 *
 * @param list name of the principal's list of keys
 */
export async function endSessions(
  { stores: { table, clock }, report }: Pick<People, 'stores' | 'report'>,
  list: string,
  principal: { id: string; name: string },
): Promise<void> {
  const now = clock.now();
  const active = (await readSessions(table, list)).filter(({ expiresAt }) => expiresAt > now);
  if (active.length === 0) return;
  await report.apply(endOfUser('sessions.ended', principal), async () => {
    for (const batch of batchesOf(active, SESSIONS_AT_ONCE)) {
      await commit(table, async () => batch.flatMap((session) => sessionEndWrites(list, session)));
    }
  });
}

/**
 * Gives users the identities that they have in the old table. An address that moved from one user to another is free only when the
 * first one is changed, so users who were refused are tried again at the end.
 */
export async function endIdentities({ stores, from, report }: People, users: readonly Member[]): Promise<void> {
  if (!from) return;
  let left = users;
  for (let before = Number.POSITIVE_INFINITY; left.length > 0 && left.length < before; ) {
    before = left.length;
    const taken: Member[] = [];
    for (const user of left) {
      if ((await identify(stores.table, from, user, report)) === 'taken') taken.push(user);
    }
    left = taken;
  }
  for (const user of left) {
    const reason = 'Another user is known by the address or the subject. Repeat identify-user for this user';
    await report.leaveOpen(endOfUser('user.identified', user), reason);
  }
}

async function identify(table: Table, from: Table, user: Member, report: Report): Promise<'done' | 'taken'> {
  const [old, present] = await Promise.all([new Directory(from).user(user.name), new Directory(table).user(user.name)]);
  if (!old || !present || old.id !== present.id || isDeepStrictEqual(old.identity, present.identity)) return 'done';
  return report.apply(endOfUser('user.identified', user), () => setOldIdentity(table, old));
}

const setOldIdentity = (table: Table, { name, identity = {} }: UserRecord): Promise<'done' | 'taken'> =>
  retrying(async () => {
    const before = await new Directory(table).user(name);
    return before ? setIdentity(table, before, identity) : 'done';
  });

/** Revokes personal keys that are revoked in the old table, and applies their rotations. A personal organization logs them itself. */
export async function endPersonalKeys({ stores, from, report }: People, user: Member): Promise<void> {
  const { table } = stores;
  const personal = await new Directory(table).organization(user.name);
  if (!from || personal?.kind === 'personal') return;
  const listed = (await table.query({ pk: principalKeyList(user.id) })).map((item) => PrincipalKeyRecord.parse(item));
  for (const key of listed) {
    const old = await readRecord(from, apiKeyKey(key.hash), ApiKeyRecord);
    const place = { list: user.id, id: storedId<Id>(key.id) };
    if (old?.revoked) {
      await report.apply(endOfUser('api_key.revoked', { id: key.id, name: old.description }), () =>
        revoke(stores, user.id, place.id),
      );
      continue;
    }
    const writes = await rotationOf(from, table, place);
    if (writes.length === 0) continue;
    const end = endOfUser('api_key.rotated', { id: key.id, name: old?.description ?? key.id });
    await report.apply(end, () => commit(table, async () => writes));
  }
}

const revoke = ({ table, clock }: Pick<Stores, 'table' | 'clock'>, user: PrincipalId, id: Id): Promise<void> =>
  commit(table, async () => {
    const key = await readKey(table, user, id, clock.now());
    return key ? revocationWrites(key) : [];
  });
