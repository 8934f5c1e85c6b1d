import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { mayAs } from '#shared/callers/roles.ts';
import type { Request } from '#shared/http/endpoint.ts';
import { permissionDenied } from '#shared/http/sentences.ts';
import { latestEndFor } from '#shared/organizations/key-ends.ts';
import type { FindOwner } from '#shared/organizations/manage-keys.ts';
import { accountKeyList } from '#shared/organizations/records/api-keys.ts';
import { auditOf } from '#shared/organizations/records/audit.ts';
import {
  AccountName,
  type AccountRecord,
  keyIssued,
  principalOf,
  readAccount,
} from '#shared/organizations/records/service-accounts.ts';
import { accountNotFound } from '#shared/organizations/rules/sentences.ts';
import type { Table } from '#shared/table/table.ts';

/** Path parameters of one account. A name outside the pattern is unknown, not invalid (rules/organizations.md#account-endpoints). */
export const accountParams = { org: z.string(), name: z.string() };
export const keyParams = { ...accountParams, key_id: z.string() };

/** Reads a service account. @throws ServiceError 404 */
export async function accountOrRefuse(table: Table, org: { id: OrganizationId }, name: string): Promise<AccountRecord> {
  const account = await readAccount(table, org.id, name);
  if (!account) throw accountNotFound();
  return account;
}

/**
 * Returns the list of an account's keys, without checking that the account exists.
 *
 * @throws ServiceError 404 if the name is outside the pattern
 */
export function keyListOrRefuse(org: { id: OrganizationId }, name: string): string {
  if (!AccountName.safeParse(name).success) throw accountNotFound();
  return accountKeyList(org.id, name);
}

type AccountRequest = Pick<Request<{ name: string }>, 'org' | 'role' | 'caller' | 'params'>;

/**
 * Reads an account that the caller may manage (rules/organizations.md#managing-an-account). Admins manage all accounts,
 * other callers those that they created.
 *
 * @throws ServiceError 404 for an unknown account, then 403
 */
export async function managedAccount(
  { org, role, caller, params }: AccountRequest,
  table: Table,
): Promise<AccountRecord> {
  const account = await accountOrRefuse(table, org, params.name);
  if (role !== 'admin' && account.createdBy !== caller.id) throw permissionDenied();
  return account;
}

/**
 * Returns a function that finds the account as an owner of keys (rules/organizations.md#managing-an-account). To revoke a
 * key, the caller has to manage the account. To get a secret, the caller's role must also include the privilege of the
 * account, because an admin may have raised the privilege after the creation.
 *
 * @param givesSecret whether the answer contains a secret of the account
 */
export const keyOwner =
  (
    request: AccountRequest & Pick<Request, 'credential' | 'receivedAt' | 'idempotency'>,
    table: Table,
    { givesSecret }: { givesSecret: boolean },
  ): FindOwner =>
  async () => {
    const { org, role, credential, receivedAt, idempotency } = request;
    const account = await managedAccount(request, table);
    if (givesSecret && !mayAs(role, account.privilege)) throw permissionDenied();
    return {
      principal: principalOf(org.id, account),
      audited: (change) => [auditOf(request, change)],
      guard: [keyIssued(org.id, account)],
      idempotency,
      latestEnd: latestEndFor(credential, receivedAt),
    };
  };
