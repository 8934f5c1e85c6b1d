import * as z from 'zod';
import { type OrganizationId, PrincipalId } from '#shared/base/ids.ts';
import { coverOf } from '#shared/base/proofs/covered-lines.ts';
import type { Cover } from '#shared/base/proofs/covers.ts';
import { again } from '#shared/base/retry.ts';
import { lineOf } from '#shared/bodies/covered-lines.ts';
import { Role } from '#shared/callers/roles.ts';
import { change, unchanged } from '#shared/table/expressions.ts';
import { type Item, readRecord, type Table, type Write } from '#shared/table/table.ts';
import type { MemberRecord, Principal } from './directory-records.ts';
import { accountKey, accountList, memberKey } from './keys.ts';
import { memberCover } from './members.ts';
import { type RecordChange, recordWrite } from './record-change.ts';

/**
 * A service account (rules/organizations.md#service-accounts). The account's membership also holds the role, because
 * authentication reads it there. One transaction writes both.
 */
export const AccountRecord = z.object({
  v: z.literal(1),
  id: PrincipalId,
  name: z.string(),
  displayName: z.string(),
  privilege: Role,
  description: z.string().nullable(),
  /** Id of the user or service account that created the account. */
  createdBy: PrincipalId,
  createdAt: z.int().brand<'Micros'>(),
  /** Counts changes of the account and issued keys. Every write is conditional on the value that the writer read. */
  rev: z.int(),
});
export type AccountRecord = z.infer<typeof AccountRecord>;

/** How exports show service accounts. `rev` counts issued keys too, which the audit entries of keys do not cover. */
export const SHOWN_ACCOUNT = { item: 'service_account', schema: AccountRecord.omit({ rev: true }) };

/** The escape is not necessary, but error texts quote the pattern and clients know it like this (rules/requests.md#validation-texts). */
const NAME_PATTERN = String.raw`^[a-zA-Z0-9\-]+$`;
export const AccountName = z.string().min(1).max(64).regex(new RegExp(NAME_PATTERN));

export async function readAccount(table: Table, org: OrganizationId, name: string): Promise<AccountRecord | undefined> {
  return AccountName.safeParse(name).success ? readRecord(table, accountKey(org, name), AccountRecord) : undefined;
}

/** Reads accounts by name. Accounts that do not exist are left out. */
export async function readAccounts(
  table: Table,
  org: OrganizationId,
  names: readonly string[],
): Promise<Map<string, AccountRecord>> {
  const items = await table.getMany(names.map((name) => accountKey(org, name)));
  return new Map([...items.values()].map((item) => [item.sk, AccountRecord.parse(item)]));
}

/** Reads the items of all accounts, sorted by name. The caller parses each item, so one unreadable item does not fail the list. */
export const readAccountItems = (table: Table, org: OrganizationId): Promise<Item[]> =>
  table.query({ pk: accountList(org) });

/** Returns the principal of a service account's keys. */
export const principalOf = (org: OrganizationId, { id, name }: AccountRecord): Principal => ({
  kind: 'service-account',
  id,
  name,
  org,
});

const memberOf = ({ id, name, privilege, createdAt }: AccountRecord): MemberRecord => ({
  v: 1,
  principal: id,
  kind: 'service-account',
  name,
  role: privilege,
  addedAt: createdAt,
});

/**
 * Returns the writes that create, change or remove an account with its membership, and what they leave behind
 * (rules/organizations.md#covers). They are refused with `again` if the account has changed since it was read, or if a new
 * one has the name of another. The caller has revoked all keys of an account that it removes.
 */
export function accountWrites(
  org: OrganizationId,
  change: RecordChange<AccountRecord>,
): { writes: Write<'again'>[]; covers: Cover[] } {
  const { before, after } = change;
  const { id, name } = change.after ?? change.before;
  const line = (one: AccountRecord | undefined) => one && lineOf(SHOWN_ACCOUNT, one);
  const cover = coverOf('service-accounts/service_account', line(before), line(after));
  const write = recordWrite(accountKey(org, name), change);
  if (before?.privilege === after?.privilege) return { writes: [write], covers: [cover] };
  const key = memberKey(org, id);
  return {
    writes: [write, after ? { put: { ...key, ...memberOf(after) } } : { remove: key }],
    covers: [cover, memberCover(before && memberOf(before), after && memberOf(after))],
  };
}

/**
 * Returns the write that counts an issued key in the account's revision. A deletion at the same time fails and retries, so it
 * revokes the new key too (rules/organizations.md#deleting-an-account).
 */
export const keyIssued = (org: OrganizationId, account: AccountRecord): Write<'again'> => ({
  update: accountKey(org, account.name),
  ...change({ add: { rev: 1 } }, unchanged(account, 'rev')),
  refused: again,
});
