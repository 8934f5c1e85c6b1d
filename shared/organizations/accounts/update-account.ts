import type { OrganizationId } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import { permissionDenied } from '#shared/base/sentences.ts';
import { invalidField } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Role } from '#shared/callers/roles.ts';
import { storeClaim } from '#shared/table/idempotency.ts';
import type { Table } from '#shared/table/table.ts';
import type { Uses } from '#shared/table/uses.ts';
import { authored } from '../records/audit.ts';
import { type AccountRecord, changeAccount } from '../records/service-accounts.ts';
import { MOST_TRUSTS, readTrustItems, TrustRecord } from '../records/trusts.ts';
import { type AccountManager, managedAccount } from './managed-account.ts';

/** What changing a service account writes. */
export const UPDATE_ACCOUNT: Uses = { writes: ['ACCOUNT', 'MEMBER', 'AUDIT'] };

/** A field that is absent stays unchanged. */
interface AccountChange {
  description?: string | null | undefined;
  privilege?: Role | undefined;
}

/**
 * Changes description or privilege of a service account (rules/organizations.md#account-endpoints). Admins change every
 * account. A creator changes the description of an own account (rules/organizations.md#managing-an-account).
 *
 * @returns the account after the change
 * @throws ServiceError `not-found`, `refused` if the caller may not change it, `invalid` if an account that pipelines act as
 *   would become admin
 */
export async function updateAccount(
  { table }: Pick<Stores, 'table'>,
  by: AccountManager<AccountRecord>,
  name: string,
  given: AccountChange,
): Promise<AccountRecord> {
  const { org, role } = by;
  return retrying(async () => {
    const before = await managedAccount(table, by, name);
    if (given.privilege !== undefined && role !== 'admin') throw permissionDenied();
    const change = changeOf(before, given);
    if (change.privilege === 'admin') await refuseIfTrusted(table, org.id, before);
    const account = { ...before, ...change };
    const changed = {
      kind: change.privilege === undefined ? 'service_account.updated' : 'service_account.role_changed',
      subject: { type: 'service_account', id: before.id, name: before.name },
      before: { privilege: before.privilege, description: before.description },
      after: change,
    } as const;
    const outcome =
      Object.keys(change).length === 0
        ? await storeClaim(table, by.claim(account))
        : await changeAccount(table, org.id, before, change, (covers) => authored(by, { ...changed, covers }, account));
    return outcome === 'again' ? outcome : account;
  });
}

/**
 * Refuses to make an account admin while pipelines may act as it. A trust that is saved at the same time is refused at the
 * exchange (rules/identities.md#admins).
 *
 * @throws ServiceError `invalid` with `errors.privilege`
 */
async function refuseIfTrusted(table: Table, org: OrganizationId, { id }: AccountRecord): Promise<void> {
  const items = await readTrustItems(table, org, { limit: MOST_TRUSTS });
  const trust = items.map((item) => TrustRecord.safeParse(item).data).find((data) => data?.account.id === id);
  if (!trust) return;
  const why = `Pipelines act as this service account by the trust '${trust.name}', and may not act as an admin. Delete the trust first`;
  throw invalidField('privilege', why, 'admin');
}

/** Returns the given fields whose values differ from the stored ones. */
const changeOf = (
  before: AccountRecord,
  { description, privilege }: AccountChange,
): Partial<Pick<AccountRecord, 'description' | 'privilege'>> => ({
  ...(description !== undefined && description !== before.description && { description }),
  ...(privilege !== undefined && privilege !== before.privilege && { privilege }),
});
