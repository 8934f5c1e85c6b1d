import { permissionDenied } from '#shared/base/sentences.ts';
import type { Micros } from '#shared/base/time.ts';
import type { CallingUser, Credential, OwnCall } from '#shared/callers/caller.ts';
import type { Table, Write } from '#shared/table/table.ts';
import { type AccountManager, getAccount } from '../accounts/read-accounts.ts';
import { userPrincipal } from '../records/api-keys.ts';
import { type AuditedChange, auditOf, stampOf } from '../records/audit.ts';
import type { Principal } from '../records/directory-records.ts';
import { personalLog } from '../records/personal-log.ts';
import { keyIssued, principalOf } from '../records/service-accounts.ts';
import { mayManageKeys } from '../rules/managing.ts';
import { latestEndFor } from './key-ends.ts';

/** A caller who manages the keys of a service account. */
interface ManagerOfKeys<Outcome> extends AccountManager<Outcome> {
  credential: Credential;
  /** Name of the service account. */
  account: string;
}

/** Who manages keys, and whose. */
export type KeyManager<Outcome> = OwnCall<CallingUser> | ManagerOfKeys<Outcome>;

/** The owner of API keys, with what a transaction on its keys needs. */
export interface KeyOwner<Outcome> {
  principal: Principal;
  /** Makes the audit entry of a change of a key. Makes none if no organization logs it (rules/organizations.md#audit-kinds). */
  audited: (change: AuditedChange) => Write[];
  /** Makes the claim of the request. */
  claim: (outcome: Outcome) => Write[];
  /** Conditions for issuing a key: the transaction fails if the owner changed or was deleted. */
  guard: Write<'again'>[];
  /** The latest end of keys that the caller issues or rotates; undefined = there is none. */
  latestEnd: Micros | undefined;
}

/**
 * Finds the owner of the keys that a caller manages. Each attempt of a transaction calls it again.
 *
 * @param givesSecret whether the caller gets a secret of the owner
 * @throws ServiceError `not-found` for an unknown service account, `refused` if the caller may not manage its keys
 */
export async function findKeyOwner<Outcome>(
  table: Table,
  by: KeyManager<Outcome>,
  givesSecret: { givesSecret: boolean },
): Promise<KeyOwner<Outcome>> {
  const { caller, credential, receivedAt } = by;
  const latestEnd = latestEndFor(credential, receivedAt);
  if (!('account' in by)) {
    const principal = userPrincipal(by.caller);
    const audited = await personalLog(table, principal.name, stampOf(caller, receivedAt));
    return { principal, audited, claim: () => [], guard: [], latestEnd };
  }
  const { org, role, claim } = by;
  const account = await getAccount({ table }, org, by.account);
  if (!mayManageKeys({ id: caller.id, role }, account, givesSecret)) throw permissionDenied();
  return {
    principal: principalOf(org.id, account),
    audited: (change) => [auditOf(by, change)],
    claim,
    guard: [keyIssued(org.id, account)],
    latestEnd,
  };
}

/** What the audit log says of a key. */
export const subjectOf = ({ id, description }: { id: string; description: string }) => ({
  type: 'api_key',
  id,
  name: description,
});
