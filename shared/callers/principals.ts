import type { Id, OrganizationId, PrincipalId } from '#shared/base/ids.ts';
import type { Duration, Micros } from '#shared/base/time.ts';
import type { RequestLimits } from './request-limits.ts';
import type { Feature, Role } from './roles.ts';
import type { SignInClaims } from './sign-in-claims.ts';
import type { VerifiedIdentity } from './verified-identity.ts';

/** An API key as authentication needs it. Times are microseconds since the epoch; 0 means never. */
export interface KeyOfPrincipal {
  id: Id;
  /** SHA-256 of the secret, in hex. */
  hash: string;
  principal: {
    kind: 'user' | 'service-account';
    id: PrincipalId;
    name: string;
    /** The one organization that the key is good for; absent for a user's key, which works in all of the user's. */
    org?: OrganizationId | undefined;
  };
  revoked: boolean;
  expiresAt: Micros;
  graceEndsAt: Micros;
  /** No key that this key issues ends later. Absent for keys that did not come from a sign-in. */
  endsBy?: Micros | undefined;
  /** Who uses the key, as an issuer proved it. Only keys that were exchanged for a token have one. */
  identity?: VerifiedIdentity | undefined;
  /** The terms of the trust under which the key was exchanged. Keys with an identity have them. */
  terms?: Id | undefined;
}

/** A session as authentication needs it (rules/organizations.md#sessions). It has either a key or claims. */
export interface KnownSession {
  id: Id;
  /** SHA-256 of the secret, in hex. */
  hash: string;
  /** SHA-256 of the token against forgery, in hex. Absent in sessions of earlier releases. */
  csrf?: string | undefined;
  principal: KeyOfPrincipal['principal'];
  /** The key that the session was made from, by the hash of the secret that it had then. */
  key?: { id: Id; hash: string } | undefined;
  /** What the provider said, for a person who signed in with it (rules/sign-in.md#sign-in-rules). */
  claims?: SignInClaims | undefined;
  expiresAt: Micros;
}

/** An organization as authentication needs it. */
export interface KnownOrganization {
  id: OrganizationId;
  name: string;
  kind: 'personal' | 'shared';
  features: readonly Feature[];
  /** Limits of its own, in place of those of the stage (rules/requests.md#limits-of-organizations). */
  limits?: RequestLimits | undefined;
  /** What the operator refuses the organization (rules/organizations.md#suspension). */
  suspension?: { what: 'writes' | 'everything'; reason: string } | undefined;
}

/** Where authentication looks up keys, organizations and memberships. The organizations' records implement it. */
export interface Principals {
  /** @param hash SHA-256 of the secret, in hex */
  apiKey(hash: string): Promise<KeyOfPrincipal | undefined>;
  /** @param hash SHA-256 of the secret, in hex */
  session(hash: string): Promise<KnownSession | undefined>;
  /** Returns the user who signed in with this subject of this issuer (rules/sign-in.md#who-is-who). */
  userOfSubject(person: { issuer: string; subject: string }): Promise<{ id: PrincipalId; name: string } | undefined>;
  organization(name: string): Promise<KnownOrganization | undefined>;
  member(org: OrganizationId, principal: PrincipalId): Promise<{ role: Role } | undefined>;
  /** Returns the role that a rule of the organization gives to a person with these claims (rules/sign-in.md#sign-in-rules). */
  roleByRule(org: KnownOrganization, claims: SignInClaims | undefined): Role | undefined;
  /** Returns when a user whom a sign-in rule lets in joined the organization; undefined before that (rules/sign-in.md#offers). */
  joined(org: OrganizationId, principal: PrincipalId): Promise<{ at: Micros } | undefined>;
  trust(org: OrganizationId, name: string): Promise<{ terms: Id } | undefined>;
  /**
   * Records that a key was used at `now`, at most once per {@link USE_RECORDED_EVERY}.
   *
   * @returns the recorded time, in microseconds
   */
  recordUse(keyId: Id, now: Micros): Promise<Micros>;
}

/** `last_used_at` of a key is written at most this often, in microseconds. */
export const USE_RECORDED_EVERY: Duration = 3_600_000_000;
