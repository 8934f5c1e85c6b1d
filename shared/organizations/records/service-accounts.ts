import * as z from 'zod';
import { type OrganizationId, PrincipalId } from '#shared/base/ids.ts';
import { again } from '#shared/base/retry.ts';
import { Role } from '#shared/base/roles.ts';
import { type Item, putIfAbsent, type Table, type Write } from '#shared/table/table.ts';
import type { MemberRecord, Principal } from './directory-records.ts';
import { accountKey, accountList, memberKey } from './keys.ts';

/**
 * Service accounts (semantics §12.3): found by name, listed in order of names. Their role lies with the memberships, too,
 * where authentication looks for it; both are written together.
 */
export const AccountRecord = z.object({
  v: z.literal(1),
  id: PrincipalId,
  name: z.string(),
  displayName: z.string(),
  privilege: Role,
  description: z.string().nullable(),
  /** Id of the user or service account that made it. */
  createdBy: PrincipalId,
  createdAt: z.int(),
  /** Counts changes of the account and keys that were issued for it: writers state the one they saw. */
  rev: z.int(),
});
export type AccountRecord = z.infer<typeof AccountRecord>;

/** As the contract spells it, needless escape and all: the text of a refusal quotes it (wire admin §1.4, §7.1). */
const NAME_PATTERN = String.raw`^[a-zA-Z0-9\-]+$`;
export const AccountName = z.string().min(1).max(64).regex(new RegExp(NAME_PATTERN));

export async function readAccount(table: Table, org: OrganizationId, name: string): Promise<AccountRecord | undefined> {
  if (!AccountName.safeParse(name).success) return undefined;
  const item = await table.get(accountKey(org, name));
  return item && AccountRecord.parse(item);
}

/** The items of all accounts, in order of names; who lists them parses each by itself. */
export const readAccountItems = (table: Table, org: OrganizationId): Promise<Item[]> =>
  table.query({ pk: accountList(org) });

/** Who a service account's keys stand for. */
export const principalOf = (org: OrganizationId, { id, name }: AccountRecord): Principal => ({
  ...{ kind: 'service-account', id, name, org },
});

const unchanged = ({ rev }: AccountRecord) => ({
  ConditionExpression: '#rev = :rev',
  ExpressionAttributeNames: { '#rev': 'rev' },
  ExpressionAttributeValues: { ':rev': rev },
  refused: again,
});

const memberItem = (org: OrganizationId, { id, name, privilege, createdAt }: AccountRecord): Item => ({
  ...memberKey(org, id),
  ...({
    ...{ v: 1, principal: id, kind: 'service-account', name, role: privilege, addedAt: createdAt },
  } satisfies MemberRecord),
});

/**
 * Makes an account.
 * @param others what the transaction holds beside it: the request's claim first, then its audit entry
 * @returns `taken` where the organization has an account with this name
 */
export const createAccount = <C>(
  table: Table,
  org: OrganizationId,
  account: AccountRecord,
  others: readonly Write<C>[],
): Promise<'done' | 'taken' | C> =>
  table.transact<'taken' | C>([
    ...others,
    putIfAbsent({ ...accountKey(org, account.name), ...account }, () => 'taken' as const),
    { put: memberItem(org, account) },
  ]);

/**
 * Changes an account's description or privilege.
 * @param before as it was read
 * @returns `again` where it changed meanwhile
 */
export function changeAccount<C>(
  table: Table,
  org: OrganizationId,
  before: AccountRecord,
  change: Partial<Pick<AccountRecord, 'description' | 'privilege'>>,
  others: readonly Write<C>[],
): Promise<'done' | 'again' | C> {
  const account = { ...before, ...change, rev: before.rev + 1 };
  return table.transact<'again' | C>([
    ...others,
    { put: { ...accountKey(org, account.name), ...account }, ...unchanged(before) },
    ...(account.privilege === before.privilege ? [] : [{ put: memberItem(org, account) }]),
  ]);
}

/** The condition, and the trace, that an account gets a key: whoever deletes it meanwhile sees that there is one more. */
export const keyIssued = (org: OrganizationId, { name, rev, ...account }: AccountRecord): Write<'again'> => ({
  update: accountKey(org, name),
  UpdateExpression: 'SET #rev = :next',
  ...unchanged({ ...account, name, rev }),
  ExpressionAttributeValues: { ':rev': rev, ':next': rev + 1 },
});

/** Removes an account whose keys have all been revoked; its name is free again. */
export const removeAccount = <C>(
  table: Table,
  org: OrganizationId,
  account: AccountRecord,
  others: readonly Write<C>[],
): Promise<'done' | 'again' | C> =>
  table.transact<'again' | C>([
    ...others,
    { remove: accountKey(org, account.name), ...unchanged(account) },
    { remove: memberKey(org, account.id) },
  ]);
