import * as z from 'zod';
import { type OrganizationId, PrincipalId } from '#shared/base/ids.ts';
import { coverOf } from '#shared/base/proofs/covered-lines.ts';
import type { Cover } from '#shared/base/proofs/covers.ts';
import { again } from '#shared/base/retry.ts';
import { type Covering, lineOf } from '#shared/bodies/covered-lines.ts';
import { Role } from '#shared/callers/roles.ts';
import { change, onlyIf, unchanged } from '#shared/table/expressions.ts';
import { type Item, putIfAbsent, type Table, type Write } from '#shared/table/table.ts';
import type { MemberRecord, Principal } from './directory-records.ts';
import { accountKey, accountList, memberKey } from './keys.ts';
import { memberCover } from './members.ts';

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
  createdAt: z.int(),
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
  if (!AccountName.safeParse(name).success) return undefined;
  const item = await table.get(accountKey(org, name));
  return item && AccountRecord.parse(item);
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

const asRead = (record: AccountRecord) => ({ ...onlyIf(unchanged(record, 'rev')), refused: again });

const memberOf = ({ id, name, privilege, createdAt }: AccountRecord): MemberRecord => ({
  v: 1,
  principal: id,
  kind: 'service-account',
  name,
  role: privilege,
  addedAt: createdAt,
});

const memberItem = (org: OrganizationId, account: AccountRecord): Item => ({
  ...memberKey(org, account.id),
  ...memberOf(account),
});

/** What a change of an account leaves behind: account and membership (rules/organizations.md#covers). */
function coversOf(before: AccountRecord | undefined, after: AccountRecord | undefined): Cover[] {
  const line = (one: AccountRecord | undefined) => one && lineOf(SHOWN_ACCOUNT, one);
  const account = coverOf('service-accounts/service_account', line(before), line(after));
  if (before?.privilege === after?.privilege) return [account];
  return [account, memberCover(before && memberOf(before), after && memberOf(after))];
}

/**
 * Creates an account.
 *
 * @param others returns other writes of the transaction: the claim of the request first, then the audit entry
 * @returns `taken` if the organization has an account with this name
 */
export const createAccount = (
  table: Table,
  org: OrganizationId,
  account: AccountRecord,
  others: Covering,
): Promise<'done' | 'taken'> =>
  table.transact<'taken'>([
    ...others(coversOf(undefined, account)),
    putIfAbsent({ ...accountKey(org, account.name), ...account }, () => 'taken' as const),
    { put: memberItem(org, account) },
  ]);

/**
 * Changes the description or the privilege of an account.
 *
 * @param before the account as it was read
 * @returns `again` if the account has changed since
 */
export function changeAccount(
  table: Table,
  org: OrganizationId,
  before: AccountRecord,
  change: Partial<Pick<AccountRecord, 'description' | 'privilege'>>,
  others: Covering,
): Promise<'done' | 'again'> {
  const account = { ...before, ...change, rev: before.rev + 1 };
  return table.transact<'again'>([
    ...others(coversOf(before, account)),
    { put: { ...accountKey(org, account.name), ...account }, ...asRead(before) },
    ...(account.privilege === before.privilege ? [] : [{ put: memberItem(org, account) }]),
  ]);
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

/** Removes an account and its membership. The caller has revoked all keys before. The name is free afterwards. */
export const removeAccount = (
  table: Table,
  org: OrganizationId,
  account: AccountRecord,
  others: Covering,
): Promise<'done' | 'again'> =>
  table.transact<'again'>([
    ...others(coversOf(account, undefined)),
    { remove: accountKey(org, account.name), ...asRead(account) },
    { remove: memberKey(org, account.id) },
  ]);
