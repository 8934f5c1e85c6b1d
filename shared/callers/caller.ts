import type { Id, PrincipalId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { KeyOfPrincipal, KnownOrganization } from './principals.ts';
import type { SignInClaims } from './sign-in-claims.ts';
import type { VerifiedIdentity } from './verified-identity.ts';

/** Who calls, once authentication knows it. */
export interface Caller {
  kind: 'user' | 'service-account';
  id: PrincipalId;
  /** The user's or the service account's name, as `created_by` shows it. */
  name: string;
  /** Null for a person who signed in without a key. */
  keyId: string | null;
  /** Who the caller is, as an issuer proved it. Absent for keys that were not exchanged for a token. */
  identity?: VerifiedIdentity | undefined;
}

/** The key, the session or the access token that a request was authenticated with. */
export interface Credential {
  /** The principal of the key, of the session or of the token. */
  principal: KeyOfPrincipal['principal'];
  /** The key, or the key that the session was made from. Absent for a person who signed in without a key. */
  key?: Pick<KeyOfPrincipal, 'id' | 'hash' | 'graceEndsAt' | 'endsBy' | 'identity'> | undefined;
  /** Absent if the request has the key or a token itself. */
  session?: { id: Id } | undefined;
  /** What the provider said about a person who signed in with it, for rules of organizations. */
  claims?: SignInClaims | undefined;
  /** When the credential ends, in microseconds; 0 = never. */
  endsAt: Micros;
}

/** The organization that a call belongs to. */
export type Organization = KnownOrganization;

/** A call that belongs to no organization, so there is no claim of the request. */
export interface OwnCall<By extends Caller = Caller> {
  caller: By;
  credential: Credential;
  receivedAt: Micros;
}

/** A caller who is a user and not a service account. */
export type CallingUser = Caller & { kind: 'user' };
