import { newId, type OrganizationId, type PrincipalId } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import { permissionDenied } from '#shared/base/sentences.ts';
import { invalidField } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { mayAs, type Role } from '#shared/callers/roles.ts';
import { storeClaim } from '#shared/table/idempotency.ts';
import type { Table } from '#shared/table/table.ts';
import type { Uses } from '#shared/table/uses.ts';
import { revokeAllKeys } from '../keys/revoke-key.ts';
import { auditOf, authored } from '../records/audit.ts';
import type { RecordChange } from '../records/record-change.ts';
import { type AccountRecord, accountWrites, principalOf } from '../records/service-accounts.ts';
import { MOST_TRUSTS, readTrustItems, TrustRecord } from '../records/trusts.ts';
import type { AuditKind } from '../rules/audit-kinds.ts';
import { personalOrganization } from '../rules/sentences.ts';
import { type AccountManager, managedAccount } from './read-accounts.ts';

export const CREATE_ACCOUNT: Uses = { writes: ['ACCOUNT', 'MEMBER', 'AUDIT'] };
export const UPDATE_ACCOUNT: Uses = { writes: ['ACCOUNT', 'MEMBER', 'AUDIT'] };
export const DELETE_ACCOUNT: Uses = { writes: ['@KEY', 'AUDIT'], removes: ['@KEYS', 'ACCOUNT', 'MEMBER'] };

type Facts = Pick<AccountRecord, 'description' | 'privilege'>;

/**
 * Creates a service account (rules/organizations.md#account-endpoints).
 *
 * @throws ServiceError `refused` if the privilege exceeds the caller's role, `invalid` in a personal organization and for
 *   a name that another account has
 */
export async function createAccount(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  by: AccountManager<AccountRecord>,
  { name, privilege, description }: Facts & { name: string },
): Promise<AccountRecord> {
  const { org, caller, role } = by;
  if (!mayAs(role, privilege)) throw permissionDenied();
  if (org.kind === 'personal') throw personalOrganization({ org: org.name });
  const now = clock.now();
  const account: AccountRecord = {
    v: 1,
    id: newId<PrincipalId>(now),
    name,
    displayName: name,
    privilege,
    description,
    createdBy: caller.id,
    createdAt: now,
    rev: 1,
  };
  const outcome = await changeAccount(table, by, { after: account }, 'service_account.created', account);
  if (outcome === 'done') return account;
  // Not `conflict`: clients retry a 409 and hide its sentence (rules/requests.md#conflicts-409).
  throw invalidField('name', `Service account '${name}' already exists in organization '${org.name}'`, name);
}

/** A field that is absent stays unchanged. */
interface AccountChange {
  description?: string | null | undefined;
  privilege?: Role | undefined;
}

/**
 * Changes description or privilege of a service account (rules/organizations.md#account-endpoints). Admins change every
 * account. A creator changes the description of an own account (rules/organizations.md#managing-an-account).
 *
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
    const before = await managedAccount({ table }, by, name);
    if (given.privilege !== undefined && role !== 'admin') throw permissionDenied();
    const change = changeOf(before, given);
    if (change.privilege === 'admin') await refuseIfTrusted(table, org.id, before);
    if (Object.keys(change).length === 0) {
      await storeClaim(table, by.claim(before));
      return before;
    }
    const account = { ...before, ...change, rev: before.rev + 1 };
    const kind = change.privilege === undefined ? 'service_account.updated' : 'service_account.role_changed';
    const outcome = await changeAccount(table, by, { before, after: account }, kind, account, change);
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
const changeOf = (before: AccountRecord, { description, privilege }: AccountChange): Partial<Facts> => ({
  ...(description !== undefined && description !== before.description && { description }),
  ...(privilege !== undefined && privilege !== before.privilege && { privilege }),
});

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
    const account = await managedAccount({ table }, by, name);
    // Keys come first, so that an interrupted deletion leaves an account that can be deleted again. If a key is issued
    // meanwhile, the account has another revision and the removal is retried.
    const principal = principalOf(org.id, account);
    keys.push(...(await revokeAllKeys({ table, clock }, { principal, audited: (change) => [auditOf(by, change)] })));
    const deleted = { id: account.id, keys };
    const outcome = await changeAccount(table, by, { before: account }, 'service_account.deleted', deleted);
    return outcome === 'again' ? outcome : deleted;
  });
}

const factsOf = ({ privilege, description }: AccountRecord): Facts => ({ privilege, description });

/** @param changed what the audit log shows of the account after the change, if not all of it */
function changeAccount<Outcome>(
  table: Table,
  by: AccountManager<Outcome>,
  change: RecordChange<AccountRecord>,
  kind: AuditKind,
  outcome: Outcome,
  changed: Partial<Facts> | undefined = change.after && factsOf(change.after),
): Promise<'done' | 'again'> {
  const { id, name } = change.after ?? change.before;
  const { writes, covers } = accountWrites(by.org.id, change);
  const audited = {
    kind,
    subject: { type: 'service_account', id, name },
    ...(change.before && { before: factsOf(change.before) }),
    ...(changed && { after: changed }),
    covers,
  };
  return table.transact<'again'>([...authored(by, audited, outcome), ...writes]);
}
