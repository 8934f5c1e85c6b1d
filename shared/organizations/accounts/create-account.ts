import { newId, type PrincipalId } from '#shared/base/ids.ts';
import { permissionDenied } from '#shared/base/sentences.ts';
import { invalidField } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { mayAs, type Role } from '#shared/callers/roles.ts';
import type { Uses } from '#shared/table/uses.ts';
import { authored } from '../records/audit.ts';
import { type AccountRecord, createAccount as create } from '../records/service-accounts.ts';
import { personalOrganization } from '../rules/sentences.ts';
import type { AccountManager } from './managed-account.ts';

/** What creating a service account writes. */
export const CREATE_ACCOUNT: Uses = { writes: ['ACCOUNT', 'MEMBER', 'AUDIT'] };

interface GivenAccount {
  name: string;
  privilege: Role;
  description: string | null;
}

/**
 * Creates a service account (rules/organizations.md#account-endpoints).
 *
 * @throws ServiceError `refused` if the privilege exceeds the caller's role, `invalid` in a personal organization and for
 *   a name that another account has
 */
export async function createAccount(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  by: AccountManager<AccountRecord>,
  { name, privilege, description }: GivenAccount,
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
  const created = {
    kind: 'service_account.created',
    subject: { type: 'service_account', id: account.id, name },
    after: { privilege, description },
  } as const;
  const outcome = await create(table, org.id, account, (covers) => authored(by, { ...created, covers }, account));
  if (outcome === 'done') return account;
  // Not `conflict`: clients retry a 409 and hide its sentence (rules/requests.md#conflicts-409).
  throw invalidField('name', `Service account '${name}' already exists in organization '${org.name}'`, name);
}
