import * as z from 'zod';
import type { OrganizationId } from '#shared/base/ids.ts';
import { mayAs } from '#shared/base/roles.ts';
import type { Request } from '#shared/http/endpoint.ts';
import { permissionDenied } from '#shared/http/sentences.ts';
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

/** Where one account is addressed: a name outside its pattern is unknown (semantics §1.2). */
export const accountParams = { org: z.string(), name: z.string() };
export const keyParams = { ...accountParams, key_id: z.string() };

/** @throws ApiError 404 */
export async function accountOrRefuse(table: Table, org: { id: OrganizationId }, name: string): Promise<AccountRecord> {
  const account = await readAccount(table, org.id, name);
  if (!account) throw accountNotFound();
  return account;
}

/** Where the keys of an account are listed, if there is such an account. @throws ApiError 404 for what is no name */
export function keysOrRefuse(org: { id: OrganizationId }, name: string): string {
  if (!AccountName.safeParse(name).success) throw accountNotFound();
  return accountKeyList(org.id, name);
}

type Asked = Pick<Request<{ name: string }>, 'org' | 'role' | 'caller' | 'params'>;

/**
 * An account that the caller may manage: any for admins, otherwise those that the caller made (semantics §12.2).
 * @throws ApiError 404, then 403
 */
export async function managedAccount({ org, role, caller, params }: Asked, table: Table): Promise<AccountRecord> {
  const account = await accountOrRefuse(table, org, params.name);
  if (role !== 'admin' && account.createdBy !== caller.id) throw permissionDenied();
  return account;
}

/**
 * The account as an owner of keys. Whoever takes a key away must manage the account; whoever is given a secret must also
 * be allowed what the account is, since an admin may have raised it after its creator made it.
 */
export const keyOwner =
  (
    request: Asked & Pick<Request, 'receivedAt' | 'idempotency'>,
    table: Table,
    { givesSecret }: { givesSecret: boolean },
  ): FindOwner =>
  async () => {
    const { org, role, idempotency } = request;
    const account = await managedAccount(request, table);
    if (givesSecret && !mayAs(role, account.privilege)) throw permissionDenied();
    return {
      principal: principalOf(org.id, account),
      audited: (change) => [auditOf(request, change)],
      guard: [keyIssued(org.id, account)],
      idempotency,
    };
  };
