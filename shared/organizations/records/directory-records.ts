import * as z from 'zod';
import { OrganizationId, PrincipalId } from '#shared/base/ids.ts';
import { Feature, Role } from '#shared/base/roles.ts';

/**
 * What the directory holds: who there is and what opens the door (semantics §12). Every item carries the version of its
 * schema and is parsed on its way out.
 */
const version = z.literal(1);

/** A name of a user or an organization: what may stand in a path without escapes. */
export const DirectoryName = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[a-zA-Z0-9][a-zA-Z0-9\-_.~]*$/);

export const PrincipalKind = z.enum(['user', 'service-account']);
export type PrincipalKind = z.infer<typeof PrincipalKind>;

/** Who a key stands for. */
export const Principal = z.object({
  kind: PrincipalKind,
  id: PrincipalId,
  name: z.string(),
  /** Id of the only organization in which a service account's keys work; users' keys work in all of theirs. */
  org: OrganizationId.optional(),
});
export type Principal = z.infer<typeof Principal>;

/**
 * A secret of a key, found by its hash. While secrets before the present one are in their grace several items share one
 * key id (semantics §12.4).
 */
export const ApiKeyRecord = z.object({
  v: version,
  id: z.string(),
  /** SHA-256 of the secret, in hex. The secret itself is stored nowhere. */
  hash: z.string(),
  principal: Principal,
  description: z.string(),
  createdAt: z.int(),
  /** Microseconds; 0 = never. */
  expiresAt: z.int(),
  /** End of a previous secret's grace in microseconds; 0 for the current secret. */
  graceEndsAt: z.int(),
  revoked: z.boolean(),
  /** Microseconds, up to an hour late; 0 = not yet. */
  lastUsedAt: z.int(),
});
export type ApiKeyRecord = z.infer<typeof ApiKeyRecord>;

/** A key in the list of its principal. */
export const PrincipalKeyRecord = z.object({
  v: version,
  id: z.string(),
  /** Hash of the present secret. */
  hash: z.string(),
  /** Hashes of the secrets before it that may still be in their grace, the newest first. */
  previous: z.array(z.string()).default([]),
});
export type PrincipalKeyRecord = z.infer<typeof PrincipalKeyRecord>;

export const OrganizationRecord = z.object({
  v: version,
  id: OrganizationId,
  name: z.string(),
  kind: z.enum(['personal', 'shared']),
  features: z.array(Feature),
  createdAt: z.int(),
});
export type OrganizationRecord = z.infer<typeof OrganizationRecord>;

export const UserRecord = z.object({
  v: version,
  id: PrincipalId,
  name: z.string(),
  createdAt: z.int(),
  /** Where the user's client goes unless told otherwise. */
  defaultOrganization: z.object({ id: OrganizationId, name: z.string() }).optional(),
});
export type UserRecord = z.infer<typeof UserRecord>;

/** The role of a user or a service account in one organization. */
export const MemberRecord = z.object({
  v: version,
  principal: PrincipalId,
  kind: PrincipalKind,
  name: z.string(),
  role: Role,
  addedAt: z.int(),
});
export type MemberRecord = z.infer<typeof MemberRecord>;
