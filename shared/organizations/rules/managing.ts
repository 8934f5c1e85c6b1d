import { mayAs, type Role } from '#shared/callers/roles.ts';

/** Who may manage service accounts and keys (rules/organizations.md#managing-an-account). */

interface Manager {
  id: string;
  role: Role;
}

/** Returns whether a caller may manage a service account. Admins manage all accounts, other callers those that they created. */
export const mayManage = ({ id, role }: Manager, account: { createdBy: string }): boolean =>
  role === 'admin' || account.createdBy === id;

/**
 * Returns whether a caller may manage a key of a service account. To revoke a key, the caller has to manage the account. To
 * get a secret, the caller's role must also include the privilege of the account, because an admin may have raised the
 * privilege after the creation. Users manage their own keys, and nobody else manages these.
 *
 * @param givesSecret whether the caller gets a secret of the account
 */
export const mayManageKeys = (
  caller: Manager,
  account: { createdBy: string; privilege: Role },
  { givesSecret }: { givesSecret: boolean },
): boolean => mayManage(caller, account) && (!givesSecret || mayAs(caller.role, account.privilege));
