import type { OrganizationId } from '#shared/base/ids.ts';
import { permissionDenied } from '#shared/base/sentences.ts';
import type { Author } from '#shared/callers/author.ts';
import type { Role } from '#shared/callers/roles.ts';
import type { Table } from '#shared/table/table.ts';
import { type AccountRecord, readAccount } from '../records/service-accounts.ts';
import { mayManage } from '../rules/managing.ts';
import { accountNotFound } from '../rules/sentences.ts';

/** Who changes a service account, with the role of this caller in the organization. */
export interface AccountManager<Outcome = never> extends Author<Outcome> {
  role: Role;
}

/**
 * Reads a service account.
 *
 * @throws ServiceError `not-found`
 */
export async function accountOrRefuse(table: Table, org: { id: OrganizationId }, name: string): Promise<AccountRecord> {
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
  table: Table,
  { org, caller, role }: Omit<AccountManager, 'claim'>,
  name: string,
): Promise<AccountRecord> {
  const account = await accountOrRefuse(table, org, name);
  if (!mayManage({ id: caller.id, role }, account)) throw permissionDenied();
  return account;
}
