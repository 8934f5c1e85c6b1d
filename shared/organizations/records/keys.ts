import type { Id, OrganizationId, PrincipalId } from '#shared/base/ids.ts';
import { family } from '#shared/table/keys.ts';
import type { Key } from '#shared/table/table.ts';

// The directory: what is looked up before an organization is known.

/** An API key by the SHA-256 (hex) of its secret. */
export const apiKeyKey = (secretHash: string): Key => ({ pk: `@KEY#${secretHash}`, sk: 'KEY' });
/** The keys of a user (by id) or service account (`api-keys.ts`), by the key's id: for lists, and for revoking by id. */
export const principalKeyKey = (principal: string, keyId: Id): Key => ({ pk: principalKeyList(principal), sk: keyId });
export const principalKeyList = (principal: string): string => `@KEYS#${principal}`;
/** An organization by name. */
export const organizationKey = (name: string): Key => ({ pk: `@ORG#${name}`, sk: 'ORG' });
/** The list of organizations, for the relay's sweeps. */
export const organizationListKey = (id: OrganizationId): Key => ({ pk: '@ORGS', sk: id });
export const organizationList = '@ORGS';
/** A user by name. */
export const userKey = (name: string): Key => ({ pk: `@USER#${name}`, sk: 'USER' });

// People and keys of an organization

export const memberKey = (org: OrganizationId, user: PrincipalId): Key => ({ pk: family(org, 'MEMBER'), sk: user });
export const memberList = (org: OrganizationId): string => family(org, 'MEMBER');

/**
 * Keys of what organizations run themselves with: service accounts and the audit log. API keys, users and memberships
 * are looked up before an organization is known: their keys are the directory's, in `keys.ts`.
 */

/** The service accounts of an organization, in order of their names. */
export const accountList = (org: OrganizationId): string => family(org, 'ACCOUNT');
export const accountKey = (org: OrganizationId, name: string): Key => ({ pk: accountList(org), sk: name });

/** The audit log, cut by month (`202611`). */
export const auditPartition = (org: OrganizationId, month: string): string => family(org, 'AUDIT', month);
/** An entry lies in the month that its id was made in. */
export const auditKey = (org: OrganizationId, month: string, id: Id): Key => ({
  pk: auditPartition(org, month),
  sk: id,
});
