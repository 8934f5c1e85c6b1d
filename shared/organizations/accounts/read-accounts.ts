import type { OrganizationId } from '#shared/base/ids.ts';
import { permissionDenied } from '#shared/base/sentences.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import type { Role } from '#shared/callers/roles.ts';
import { AccountName, AccountRecord, readAccount, readAccountItems } from '../records/service-accounts.ts';
import { mayManage } from '../rules/managing.ts';
import { accountNotFound } from '../rules/sentences.ts';

export { AccountName, type AccountRecord };

/** Who changes a service account, with the role of this caller in the organization. */
export interface AccountManager<Outcome = never> extends Author<Outcome> {
  role: Role;
}

/** Reads a service account. @throws ServiceError `not-found` */
export async function getAccount(
  { table }: Pick<Stores, 'table'>,
  org: { id: OrganizationId },
  name: string,
): Promise<AccountRecord> {
  const account = await readAccount(table, org.id, name);
  if (!account) throw accountNotFound();
  return account;
}

/**
 * Reads an account that the caller may manage (rules/organizations.md#managing-an-account).
 *
 * @throws ServiceError `not-found` for an unknown account, then `refused`
 */
export async function managedAccount(
  stores: Pick<Stores, 'table'>,
  { org, caller, role }: Omit<AccountManager, 'claim'>,
  name: string,
): Promise<AccountRecord> {
  const account = await getAccount(stores, org, name);
  if (!mayManage({ id: caller.id, role }, account)) throw permissionDenied();
  return account;
}

/** Lists the service accounts of an organization, sorted by name (rules/organizations.md#account-endpoints). */
export async function listAccounts(
  { table }: Pick<Stores, 'table'>,
  org: OrganizationId,
): Promise<(AccountRecord | { name: string; unreadable: unknown })[]> {
  return (await readAccountItems(table, org)).map((item) => {
    const { data, error } = AccountRecord.safeParse(item);
    return data ?? { name: item.sk, unreadable: error };
  });
}
