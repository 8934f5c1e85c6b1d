import { hash } from 'node:crypto';
import { type Id, type OrganizationId, type PrincipalId, storedId } from '#shared/base/ids.ts';
import type { Key, PartitionKey } from '#shared/table/items.ts';
import { directory, family, keyIn } from '#shared/table/keys.ts';

// Keys of the directory. Authentication reads these items before it knows the organization.

/** A secret of an API key, by its SHA-256 in hex. */
export const apiKeyKey = (secretHash: string): Key => keyIn(directory('@KEY', secretHash), 'KEY');
/**
 * The latest use of an API key, by the key's id. Every endpoint function writes this item, so the item has a family of its
 * own, which authentication does not read (rules/organizations.md#last-use).
 */
export const keyUseKey = (keyId: Id): Key => keyIn(directory('@KEYUSE', keyId), 'USE');
/** An API key in the list of its principal, by the key's id. `keyListOf` in `api-keys.ts` makes the name of the list. */
export const principalKeyKey = (principal: string, keyId: Id): Key => keyIn(principalKeyList(principal), keyId);
export const principalKeyList = (principal: string): PartitionKey => directory('@KEYS', principal);
/** A session, by the SHA-256 of its secret in hex. */
export const sessionKey = (secretHash: string): Key => keyIn(directory('@SESSION', secretHash), 'SESSION');
/** A session in the list of its principal, by the session's id. The list has the name of the principal's list of keys. */
export const principalSessionKey = (principal: string, sessionId: Id): Key =>
  keyIn(principalSessionList(principal), sessionId);
export const principalSessionList = (principal: string): PartitionKey => directory('@SESSIONS', principal);
/** An organization by name. */
export const organizationKey = (name: string): Key => keyIn(directory('@ORG', name), 'ORG');
/** An organization in the list that the relay's sweeps read. */
export const organizationListKey = (id: OrganizationId): Key => keyIn(organizationList, id);
export const organizationList = directory('@ORGS');
/** An organization in the list of the organizations of a user. */
export const memberOfKey = (user: PrincipalId, org: OrganizationId): Key => keyIn(memberOfList(user), org);
export const memberOfList = (user: PrincipalId): PartitionKey => directory('@MEMBEROF', user);
/** An organization in the list of the organizations whose sign-in rules name a domain or a group. */
export const letInKey = (list: PartitionKey, org: OrganizationId): Key => keyIn(list, org);
export const letInList = (kind: 'domain' | 'group', value: string): PartitionKey => directory('@LETIN', kind, value);
/** Which organizations may name a domain or a group in their sign-in rules. */
export const grantKey = (kind: 'domain' | 'group', value: string): Key =>
  keyIn(directory('@GRANT', kind, value), 'GRANT');
/**
 * What a user was offered, by the user's name: an admin can name a user who does not exist
 * (rules/organizations.md#invitations).
 */
export const offerKey = (user: string, kind: 'invitation' | 'rule' | 'declined', org: OrganizationId): Key =>
  keyIn(offerList(user), `${kind}#${org}`);
export const offerList = (user: string): PartitionKey => directory('@OFFER', user);
/** The user with a verified e-mail address. */
export const emailKey = (email: string): Key => keyIn(directory('@IDENTITY', 'email', email), 'IDENTITY');
/** The user with a subject of an issuer, by the SHA-256 of both. */
export const subjectKey = (hash: string): Key => keyIn(directory('@IDENTITY', 'subject', hash), 'IDENTITY');
/** A token that was exchanged for a key, by the SHA-256 of what its issuer signed. */
export const usedTokenKey = (digest: string): Key => keyIn(directory('@TOKEN', digest), 'TOKEN');
/**
 * The trusts of an issuer in an organization, by the name of the organization. An exchange reads them before it knows the
 * organization, so a token of an unknown issuer costs one read.
 */
export const trustsOfIssuer = (orgName: string, issuer: string): PartitionKey =>
  directory('@TRUSTED', orgName, hash('sha256', issuer));
export const trustOfIssuerKey = (orgName: string, issuer: string, name: string): Key =>
  keyIn(trustsOfIssuer(orgName, issuer), name);
/** A user by name. */
export const userKey = (name: string): Key => keyIn(directory('@USER', name), 'USER');

// Members of an organization.

export const memberKey = (org: OrganizationId, user: PrincipalId): Key => keyIn(family(org, 'MEMBER'), user);
export const memberList = (org: OrganizationId): PartitionKey => family(org, 'MEMBER');

/** The invitations of an organization, by the names of the users. */
export const invitationList = (org: OrganizationId): PartitionKey => family(org, 'INVITED');
export const invitationKey = (org: OrganizationId, user: string): Key => keyIn(invitationList(org), user);

// Service accounts and the audit log of an organization.

/** The service accounts of an organization, sorted by name. */
export const accountList = (org: OrganizationId): PartitionKey => family(org, 'ACCOUNT');
export const accountKey = (org: OrganizationId, name: string): Key => keyIn(accountList(org), name);

/** The trusts of an organization, sorted by name. */
export const trustList = (org: OrganizationId): PartitionKey => family(org, 'TRUST');
export const trustKey = (org: OrganizationId, name: string): Key => keyIn(trustList(org), name);
/** Says that the audit log has an entry for refused tokens of this kind and hour. */
export const refusedTokensKey = (org: OrganizationId, hour: string, kind: string): Key =>
  keyIn(family(org, 'REFUSED', hour), kind);

/** The audit log of one month (`202611`). */
export const auditPartition = (org: OrganizationId, month: string): PartitionKey => family(org, 'AUDIT', month);
/** Reads the organization of an {@link auditPartition}; null for every other partition. */
export const readAuditPartition = (pk: PartitionKey): OrganizationId | null => {
  const [org = '', name] = pk.split('#');
  return name === 'AUDIT' ? storedId(org) : null;
};
/** @param month the month in which the id was made */
export const auditKey = (org: OrganizationId, month: string, id: Id): Key => keyIn(auditPartition(org, month), id);
