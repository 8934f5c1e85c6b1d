import type { OrganizationId } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { CallingUser } from '#shared/callers/caller.ts';
import { getAccount } from '../accounts/read-accounts.ts';
import {
  accountKeyList,
  keyListOf,
  readUsedKey,
  readUsedKeys,
  type UsedKey,
  userPrincipal,
} from '../records/api-keys.ts';
import { AccountName } from '../records/service-accounts.ts';
import { accountNotFound, keyNotFound } from '../rules/sentences.ts';

export type { UsedKey };

/** Whose keys are read: those of a user, or those of a service account by its name. */
type OwnerOfKeys = CallingUser | { org: { id: OrganizationId }; account: string };

type Reading = Pick<Stores, 'table' | 'clock'>;

/**
 * Lists the active keys of an owner, the oldest first (rules/organizations.md#key-endpoints).
 *
 * @throws ServiceError `not-found` for an unknown service account
 */
export const listKeys = ({ table, clock }: Reading, owner: OwnerOfKeys): Promise<UsedKey[]> =>
  ofOwner(table, owner, (list) => readUsedKeys(table, list, clock.now()));

/**
 * Reads one active key of an owner (rules/organizations.md#key-endpoints).
 *
 * @throws ServiceError `not-found` for an unknown service account, and for a key that the owner does not have
 */
export async function getKey({ table, clock }: Reading, owner: OwnerOfKeys, id: string): Promise<UsedKey> {
  const key = await ofOwner(table, owner, (list) => readUsedKey(table, list, id, clock.now()));
  if (!key) throw keyNotFound();
  return key;
}

/** Reads from the list of an owner's keys, and at the same time whether a service account exists. */
async function ofOwner<T>(table: Stores['table'], owner: OwnerOfKeys, read: (list: string) => Promise<T>): Promise<T> {
  if (!('account' in owner)) return read(keyListOf(userPrincipal(owner)));
  const { org, account } = owner;
  if (!AccountName.safeParse(account).success) throw accountNotFound();
  const [found] = await Promise.all([read(accountKeyList(org.id, account)), getAccount({ table }, org, account)]);
  return found;
}
