import { hash } from 'node:crypto';
import { type Id, type OrganizationId, type PrincipalId, storedId } from '#shared/base/ids.ts';
import { family } from '#shared/table/keys.ts';
import type { Key } from '#shared/table/table.ts';

// Keys of the directory. Authentication reads these items before it knows the organization.

/** A secret of an API key, by its SHA-256 in hex. */
export const apiKeyKey = (secretHash: string): Key => ({ pk: `@KEY#${secretHash}`, sk: 'KEY' });
/**
 * The latest use of an API key, by the key's id. Every endpoint function writes this item, so the item has a family of its
 * own, which authentication does not read (rules/organizations.md#last-use).
 */
export const keyUseKey = (keyId: Id): Key => ({ pk: `@KEYUSE#${keyId}`, sk: 'USE' });
/** An API key in the list of its principal, by the key's id. `keyListOf` in `api-keys.ts` makes the name of the list. */
export const principalKeyKey = (principal: string, keyId: Id): Key => ({ pk: principalKeyList(principal), sk: keyId });
export const principalKeyList = (principal: string): string => `@KEYS#${principal}`;
/** A session, by the SHA-256 of its secret in hex. */
export const sessionKey = (secretHash: string): Key => ({ pk: `@SESSION#${secretHash}`, sk: 'SESSION' });
/** A session in the list of its principal, by the session's id. The list has the name of the principal's list of keys. */
export const principalSessionKey = (principal: string, sessionId: Id): Key => ({
  pk: principalSessionList(principal),
  sk: sessionId,
});
export const principalSessionList = (principal: string): string => `@SESSIONS#${principal}`;
/** An organization by name. */
export const organizationKey = (name: string): Key => ({ pk: `@ORG#${name}`, sk: 'ORG' });
/** An organization in the list that the relay's sweeps read. */
export const organizationListKey = (id: OrganizationId): Key => ({ pk: '@ORGS', sk: id });
export const organizationList = '@ORGS';
/** An organization in the list of the organizations of a user. */
export const memberOfKey = (user: PrincipalId, org: OrganizationId): Key => ({ pk: memberOfList(user), sk: org });
export const memberOfList = (user: PrincipalId): string => `@MEMBEROF#${user}`;
/** An organization in the list of the organizations whose sign-in rules name a domain or a group. */
export const letInKey = (list: string, org: OrganizationId): Key => ({ pk: list, sk: org });
export const letInList = (kind: 'domain' | 'group', value: string): string => `@LETIN#${kind}#${value}`;
/** Which organizations may name a domain or a group in their sign-in rules. */
export const grantKey = (kind: 'domain' | 'group', value: string): Key => ({
  pk: `@GRANT#${kind}#${value}`,
  sk: 'GRANT',
});
/**
 * What a user was offered, by the user's name: an admin can name a user who does not exist
 * (rules/organizations.md#invitations).
 */
export const offerKey = (user: string, kind: 'invitation' | 'rule' | 'declined', org: OrganizationId): Key => ({
  pk: offerList(user),
  sk: `${kind}#${org}`,
});
export const offerList = (user: string): string => `@OFFER#${user}`;
/** The user with a verified e-mail address. */
export const emailKey = (email: string): Key => ({ pk: `@IDENTITY#email#${email}`, sk: 'IDENTITY' });
/** The user with a subject of an issuer, by the SHA-256 of both. */
export const subjectKey = (hash: string): Key => ({ pk: `@IDENTITY#subject#${hash}`, sk: 'IDENTITY' });
/** A token that was exchanged for a key, by the SHA-256 of what its issuer signed. */
export const usedTokenKey = (digest: string): Key => ({ pk: `@TOKEN#${digest}`, sk: 'TOKEN' });
/**
 * The trusts of an issuer in an organization, by the name of the organization. An exchange reads them before it knows the
 * organization, so a token of an unknown issuer costs one read.
 */
export const trustsOfIssuer = (orgName: string, issuer: string): string =>
  `@TRUSTED#${orgName}#${hash('sha256', issuer)}`;
export const trustOfIssuerKey = (orgName: string, issuer: string, name: string): Key => ({
  pk: trustsOfIssuer(orgName, issuer),
  sk: name,
});
/** A user by name. */
export const userKey = (name: string): Key => ({ pk: `@USER#${name}`, sk: 'USER' });

// Members of an organization.

export const memberKey = (org: OrganizationId, user: PrincipalId): Key => ({ pk: family(org, 'MEMBER'), sk: user });
export const memberList = (org: OrganizationId): string => family(org, 'MEMBER');

/** The invitations of an organization, by the names of the users. */
export const invitationList = (org: OrganizationId): string => family(org, 'INVITED');
export const invitationKey = (org: OrganizationId, user: string): Key => ({ pk: invitationList(org), sk: user });

// Service accounts and the audit log of an organization.

/** The service accounts of an organization, sorted by name. */
export const accountList = (org: OrganizationId): string => family(org, 'ACCOUNT');
export const accountKey = (org: OrganizationId, name: string): Key => ({ pk: accountList(org), sk: name });

/** The trusts of an organization, sorted by name. */
export const trustList = (org: OrganizationId): string => family(org, 'TRUST');
export const trustKey = (org: OrganizationId, name: string): Key => ({ pk: trustList(org), sk: name });
/** Says that the audit log has an entry for refused tokens of this kind and hour. */
export const refusedTokensKey = (org: OrganizationId, hour: string, kind: string): Key => ({
  pk: family(org, 'REFUSED', hour),
  sk: kind,
});

/** The audit log of one month (`202611`). */
export const auditPartition = (org: OrganizationId, month: string): string => family(org, 'AUDIT', month);
/** Reads the organization of an {@link auditPartition}; null for every other partition. */
export const readAuditPartition = (pk: string): OrganizationId | null => {
  const [org = '', name] = pk.split('#');
  return name === 'AUDIT' ? storedId(org) : null;
};
/** @param month the month in which the id was made */
export const auditKey = (org: OrganizationId, month: string, id: Id): Key => ({
  pk: auditPartition(org, month),
  sk: id,
});
