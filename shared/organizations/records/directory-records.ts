import * as z from 'zod';
import { OrganizationId, PrincipalId } from '#shared/base/ids.ts';
import { isReserved } from '#shared/base/reserved-names.ts';
import { withInput } from '#shared/base/validation.ts';
import { RequestLimits } from '#shared/callers/request-limits.ts';
import { Feature, Role } from '#shared/callers/roles.ts';
import { SignInClaims } from '#shared/callers/sign-in-claims.ts';
import { VerifiedIdentity } from '#shared/callers/verified-identity.ts';
import { SignInGrants, SignInRule } from '#shared/organizations/rules/sign-in-rules.ts';
import { Suspension } from '#shared/organizations/rules/suspension.ts';

/**
 * Records of the directory: organizations, users, memberships and API keys (rules/organizations.md). Every item has the
 * version of its schema and is parsed when it is read.
 */
const version = z.literal(1);

/** A name of a user or an organization. It needs no escapes in a path. */
export const DirectoryName = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[a-zA-Z0-9][a-zA-Z0-9\-_.~]*$/);

/** The name of a new organization (rules/organizations.md#reserved-names). */
export const NewOrganizationName = DirectoryName.refine((name) => !isReserved(name), {
  error: ({ input }) => withInput('Name is reserved, because the service itself answers below this path', input),
});

export const PrincipalKind = z.enum(['user', 'service-account']);
export type PrincipalKind = z.infer<typeof PrincipalKind>;

/** The user or service account that a key stands for. */
export const Principal = z.object({
  kind: PrincipalKind,
  id: PrincipalId,
  name: z.string(),
  /** The organization of a service account. Absent for users, whose keys work in all their organizations. */
  org: OrganizationId.optional(),
});
export type Principal = z.infer<typeof Principal>;

/**
 * A secret of a key, found by its hash. Several items have the same key id while earlier secrets are in their grace
 * (rules/organizations.md#rotation).
 */
export const ApiKeyRecord = z.object({
  v: version,
  id: z.string(),
  /** SHA-256 of the secret, in hex. The secret itself is stored nowhere. */
  hash: z.string(),
  principal: Principal,
  description: z.string(),
  createdAt: z.int().brand<'Micros'>(),
  /** Microseconds; 0 = never. */
  expiresAt: z.int().brand<'Micros'>(),
  /**
   * No rotation and no key that this key issues ends later, in microseconds. Absent for keys that did not come from a sign-in
   * (rules/organizations.md#keys-from-a-sign-in).
   */
  endsBy: z.int().brand<'Micros'>().optional(),
  /** End of a previous secret's grace in microseconds; 0 for the current secret. */
  graceEndsAt: z.int().brand<'Micros'>(),
  revoked: z.boolean(),
  /** Latest use that earlier versions of the service stored here, in microseconds; 0 = none. {@link KeyUseRecord} has later uses. */
  lastUsedAt: z.int().brand<'Micros'>(),
  /** What the issuer proved, for a key that was exchanged for a token (rules/identities.md#verified-identity). */
  identity: VerifiedIdentity.optional(),
  /** The terms of the trust at the exchange. With other terms the key is refused (rules/identities.md#end-of-keys). */
  terms: z.string().optional(),
});
export type ApiKeyRecord = z.infer<typeof ApiKeyRecord>;

/** The latest use of a key with any of its secrets (rules/organizations.md#last-use). */
export const KeyUseRecord = z.object({
  v: version,
  /** Microseconds, up to an hour late. */
  lastUsedAt: z.int().brand<'Micros'>(),
});
export type KeyUseRecord = z.infer<typeof KeyUseRecord>;

/** A key in the list of its principal. */
export const PrincipalKeyRecord = z.object({
  v: version,
  id: z.string(),
  /** Hash of the present secret. */
  hash: z.string(),
  /** Hashes of earlier secrets, the newest first. Some of them may still be in their grace. */
  previous: z.array(z.string()).default([]),
});
export type PrincipalKeyRecord = z.infer<typeof PrincipalKeyRecord>;

/** A session in the list of its principal. */
export const PrincipalSessionRecord = z.object({
  v: version,
  id: z.string(),
  /** SHA-256 of the session's secret, in hex. */
  hash: z.string(),
  /** SHA-256 of the token against forgery, in hex. Absent in sessions of earlier releases, which can only read. */
  csrf: z.string().optional(),
  /** The key that the session was made from, by the hash of the secret that it had then. */
  key: z.object({ id: z.string(), hash: z.string() }).optional(),
  /** What the provider said, for a session that has no key (rules/sign-in.md#session-of-a-sign-in). */
  claims: SignInClaims.optional(),
  /** Microseconds. */
  createdAt: z.int().brand<'Micros'>(),
  expiresAt: z.int().brand<'Micros'>(),
});
/** A session, found by the hash of its secret (rules/organizations.md#sessions). */
export const SessionRecord = PrincipalSessionRecord.extend({ principal: Principal });
export type SessionRecord = z.infer<typeof SessionRecord>;
export type PrincipalSessionRecord = z.infer<typeof PrincipalSessionRecord>;

export const OrganizationRecord = z.object({
  v: version,
  id: OrganizationId,
  name: z.string(),
  kind: z.enum(['personal', 'shared']),
  features: z.array(Feature),
  /** Who gets in without a membership (rules/sign-in.md#sign-in-rules). Absent in organizations that never had rules. */
  signInRules: z.array(SignInRule).optional(),
  /** What the operator lets the rules name (rules/sign-in.md#grants). Absent in organizations that never had a grant. */
  signInGrants: SignInGrants.optional(),
  /** What the operator refuses the organization (rules/organizations.md#suspension). Absent if nothing is refused. */
  suspension: Suspension.optional(),
  /** Limits in place of those of the stage (rules/requests.md#limits-of-organizations). */
  limits: RequestLimits.optional(),
  createdAt: z.int().brand<'Micros'>(),
});
export type OrganizationRecord = z.infer<typeof OrganizationRecord>;

/** What a user is known by at the sign-in (rules/sign-in.md#who-is-who). */
const UserIdentity = z.object({
  /** Verified e-mail address in lower case. */
  email: z.string().optional(),
  /** The subject and its issuer, both or neither. */
  issuer: z.string().optional(),
  subject: z.string().optional(),
});
export type UserIdentity = z.infer<typeof UserIdentity>;

export const UserRecord = z.object({
  v: version,
  id: PrincipalId,
  name: z.string(),
  createdAt: z.int().brand<'Micros'>(),
  /** The organization that clients use by default (rules/organizations.md#default-organization). */
  defaultOrganization: z.object({ id: OrganizationId, name: z.string() }).optional(),
  /**
   * How far the list of the user's organizations is complete: up to this organization, or `all`. Absent for users of earlier
   * releases, whose memberships are not in the list (rules/organizations.md#organizations-of-a-user).
   */
  organizationsListed: z.union([z.literal('all'), OrganizationId]).optional(),
  /** Absent for users who never signed in and for whom the operator set nothing. */
  identity: UserIdentity.optional(),
  /** Set for users whom a sign-in rule let in. They are refused when neither a rule nor a membership lets them in. */
  byRule: z.literal(true).optional(),
});
export type UserRecord = z.infer<typeof UserRecord>;

/** Finds the user whom the provider knows by a subject. */
export const SubjectRecord = z.object({ v: version, id: PrincipalId, name: z.string() });
export type SubjectRecord = z.infer<typeof SubjectRecord>;
/**
 * Finds the user whom the provider knows by an e-mail address. `subject` is the hash of the subject that signed in with the
 * address first; no other subject can.
 */
export const EmailRecord = SubjectRecord.extend({ subject: z.string().optional() });
export type EmailRecord = z.infer<typeof EmailRecord>;

/** An organization in the list of a user's organizations. The membership itself says whether it is true. */
export const MemberOfRecord = z.object({
  v: version,
  org: OrganizationId,
  /** When the user, whom a sign-in rule lets in, joined. Absent for members (rules/sign-in.md#offers). */
  joinedAt: z.int().brand<'Micros'>().optional(),
});
export type MemberOfRecord = z.infer<typeof MemberOfRecord>;

/** An organization in the list of all organizations. */
export const OrganizationListRecord = z.object({ v: version, id: OrganizationId, name: z.string() });

/** The role of a user or a service account in one organization. */
export const MemberRecord = z.object({
  v: version,
  principal: PrincipalId,
  kind: PrincipalKind,
  name: z.string(),
  role: Role,
  addedAt: z.int().brand<'Micros'>(),
});
export type MemberRecord = z.infer<typeof MemberRecord>;

/** How exports show members. */
export const SHOWN_MEMBER = { item: 'member', schema: MemberRecord };
