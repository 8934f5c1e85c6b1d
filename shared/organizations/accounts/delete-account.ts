import type { PrincipalId } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Uses } from '#shared/table/uses.ts';
import { revokeAllKeys } from '../keys/revoke-key.ts';
import { auditOf, authored } from '../records/audit.ts';
import { principalOf, removeAccount } from '../records/service-accounts.ts';
import { type AccountManager, managedAccount } from './managed-account.ts';

/** What deleting a service account writes. */
export const DELETE_ACCOUNT: Uses = { writes: ['@KEY', 'AUDIT'], removes: ['@KEYS', 'ACCOUNT', 'MEMBER'] };

export interface DeletedAccount {
  id: PrincipalId;
  /** Hashes of the secrets of its keys. */
  keys: readonly string[];
}

/**
 * Revokes all keys of a service account, then removes the account (rules/organizations.md#deleting-an-account).
 *
 * @throws ServiceError `not-found`, and `refused` if the caller may not manage the account
 */
export async function deleteAccount(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  by: AccountManager<DeletedAccount>,
  name: string,
): Promise<DeletedAccount> {
  const { org } = by;
  const keys: string[] = [];
  return retrying(async () => {
    const account = await managedAccount(table, by, name);
    const { id, privilege, description } = account;
    // Keys come first, so that an interrupted deletion leaves an account that can be deleted again. If a key is issued
    // meanwhile, the account has another revision and the removal is retried.
    const principal = principalOf(org.id, account);
    keys.push(...(await revokeAllKeys({ table, clock }, { principal, audited: (change) => [auditOf(by, change)] })));
    const deleted = {
      kind: 'service_account.deleted',
      subject: { type: 'service_account', id, name: account.name },
      before: { privilege, description },
    } as const;
    const outcome = await removeAccount(table, org.id, account, (covers) =>
      authored(by, { ...deleted, covers }, { id, keys }),
    );
    return outcome === 'again' ? outcome : { id, keys };
  });
}
