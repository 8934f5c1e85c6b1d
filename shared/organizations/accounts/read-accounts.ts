import type { OrganizationId } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { AccountName, AccountRecord, readAccountItems } from '../records/service-accounts.ts';
import { accountOrRefuse } from './managed-account.ts';

export { AccountName, type AccountRecord };

/** A service account of a list that cannot be read: only its name is known. */
interface UnreadableAccount {
  name: string;
  unreadable: unknown;
}

/**
 * Reads a service account.
 *
 * @throws ServiceError `not-found`
 */
export const getAccount = ({ table }: Pick<Stores, 'table'>, org: { id: OrganizationId }, name: string) =>
  accountOrRefuse(table, org, name);

/** Lists the service accounts of an organization, sorted by name (rules/organizations.md#account-endpoints). */
export async function listAccounts(
  { table }: Pick<Stores, 'table'>,
  org: OrganizationId,
): Promise<(AccountRecord | UnreadableAccount)[]> {
  return (await readAccountItems(table, org)).map((item) => {
    const { data, error } = AccountRecord.safeParse(item);
    return data ?? { name: item.sk, unreadable: error };
  });
}
