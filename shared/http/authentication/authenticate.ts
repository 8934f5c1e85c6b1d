import { LRUCache } from 'lru-cache';
import type { OrganizationId, PrincipalId } from '#shared/base/ids.ts';
import { changesSuspended, organizationSuspended, permissionDenied } from '#shared/base/sentences.ts';
import type { Clock, Micros } from '#shared/base/time.ts';
import type { AccessTokens } from '#shared/callers/access-tokens.ts';
import type { Caller, Credential, Organization } from '#shared/callers/caller.ts';
import { hashKey, sameHash } from '#shared/callers/credentials.ts';
import {
  type KeyOfPrincipal,
  type KnownOrganization,
  type KnownSession,
  type Principals,
  USE_RECORDED_EVERY,
} from '#shared/callers/principals.ts';
import type { RequestLimits } from '#shared/callers/request-limits.ts';
import { mayAs, type Role } from '#shared/callers/roles.ts';
import { asksForRole, changesRecords, type Endpoint } from '../endpoint.ts';
import type { Distrust, Need, Permit } from '../request.ts';
import {
  busy,
  csrfTokenNeeded,
  exchangedKeyManagesNoAccess,
  featureOff,
  invalidKey,
  invalidSession,
  personUnknown,
  ruleManagesNoAccess,
  tokenRefused,
} from '../sentences.ts';
import type { SentCredential } from './sent-credential.ts';

/** Keys, organizations and memberships are believed this many milliseconds, counted from the beginning of their read. */
const TRUST_MILLIS = 30_000;
/** An unknown key is read again sooner, since it may just have been made. */
const DISTRUST_MILLIS = 5_000;
const MOST_REMEMBERED = 6_000;
const UNKNOWN = { unknown: true } as const;
const RECORDED = { recorded: true } as const;

/** The caller of a request. */
export interface Identity {
  caller: Caller;
  credential: Credential;
  /** Set if the endpoint belongs to an organization. */
  org?: Organization;
  role?: Role;
  /** Limits of the organization in place of those of the stage. */
  limits?: RequestLimits | undefined;
}

/**
 * Authenticates callers and checks their permissions. No remembered fact is older than 30 seconds, so every function
 * refuses a revoked key or a removed member after that time (rules/organizations.md#trust-times).
 */
export class Authenticator {
  readonly #principals: Principals;
  readonly #clock: Clock;
  readonly #tokens: AccessTokens | undefined;
  readonly #memory: LRUCache<string, object>;

  /** @param tokens the provider whose access tokens some endpoints take */
  constructor(principals: Principals, clock: Clock, tokens?: AccessTokens) {
    this.#principals = principals;
    this.#clock = clock;
    this.#tokens = tokens;
    this.#memory = new LRUCache({
      max: MOST_REMEMBERED,
      ttl: TRUST_MILLIS,
      // With the default resolution the library reuses a time for a millisecond; 0 reads the clock at each
      // look-up.
      ttlResolution: 0,
      perf: { now: () => clock.now() / 1000 },
    });
  }

  /**
   * Runs the checks that come before the content of a request: credential (401), organization (403), suspension (403), beta
   * feature (403), role (403) (rules/requests.md#order-of-checks). An endpoint that manages access refuses keys that were exchanged for
   * a token, and people whose role comes from a sign-in rule (rules/organizations.md#managing-access). A cold function reads
   * key and organization at the same time, then the membership. For a session it reads the session first.
   * @param orgName organization in the path; read only for endpoints that need a role
   * @throws ServiceError 401 or 403
   */
  async admit(
    sent: SentCredential,
    endpoint: Pick<Endpoint, 'method' | 'access' | 'feature' | 'managesAccess' | 'uses'>,
    orgName = '',
  ): Promise<Identity> {
    if (!asksForRole(endpoint.access)) {
      const credential = await this.#usable(sent, endpoint);
      if (endpoint.access === 'user' && credential.principal.kind !== 'user') throw permissionDenied();
      return { credential, caller: callerOf(credential) };
    }
    const [credential, organization] = await Promise.all([this.#usable(sent, endpoint), this.#organization(orgName)]);
    return this.#permitted(credential, organization, { ...endpoint, access: endpoint.access });
  }

  /**
   * Runs the checks of {@link admit} that follow the credential, for a caller whose request names organizations in its content
   * (rules/agents.md#rights).
   * @throws ServiceError 403
   */
  async permit(credential: Credential, need: Need, orgName: string): Promise<Identity & Permit> {
    return this.#permitted(credential, await this.#organization(orgName), need);
  }

  async #permitted(
    credential: Credential,
    organization: KnownOrganization | undefined,
    endpoint: Need & Pick<Endpoint, 'managesAccess'>,
  ): Promise<Identity & Permit> {
    const org = this.#accessible(credential, organization);
    const member = await this.#member(org.id, credential.principal.id);
    const role = member?.role ?? (await this.#roleByRule(org, credential));
    if (!role) throw permissionDenied();
    refuseSuspended(org, endpoint);
    if (endpoint.feature && !org.features.includes(endpoint.feature)) throw featureOff();
    if (!mayAs(role, endpoint.access)) throw permissionDenied();
    if (endpoint.managesAccess && !member) throw ruleManagesNoAccess();
    const { id, name, kind, features, limits } = org;
    return { credential, caller: callerOf(credential), org: { id, name, kind, features }, role, limits };
  }

  /**
   * Returns the organization of a request if one of its features opens the endpoint to everybody. The key of the request is
   * then not looked at (rules/log.md#public-log).
   */
  async openOrganization(
    endpoint: Pick<Endpoint, 'openWith' | 'uses'>,
    orgName = '',
  ): Promise<Organization | undefined> {
    if (endpoint.openWith === undefined) return undefined;
    const found = await this.#organization(orgName);
    if (!found?.features.includes(endpoint.openWith)) return undefined;
    refuseSuspended(found, endpoint);
    const { id, name, kind, features } = found;
    return { id, name, kind, features };
  }

  /**
   * Records that a key was used, at most once an hour. Until the recorded time is an hour old, this container does not ask
   * for it again (rules/organizations.md#last-use). A session without a key has no key whose use could be recorded.
   */
  async recordUse({ credential: { key } }: Identity): Promise<void> {
    // Nobody lists a key that was exchanged for a token, and there can be thousands of them in an hour.
    if (!key || key.identity) return;
    const name = `use ${key.id}`;
    if (this.#memory.has(name)) return;
    const recordedAt = await this.#principals.recordUse(key.id, this.#clock.now());
    this.#memory.set(name, RECORDED, { start: recordedAt / 1000, ttl: USE_RECORDED_EVERY / 1000 });
  }

  /** Forgets facts that a write of this function changed. Other functions read them again within 30 seconds. */
  forget({ keys = [], sessions = [], members, trusts, organization }: Distrust): void {
    for (const hash of keys) this.#memory.delete(keyName(hash));
    for (const hash of sessions) this.#memory.delete(sessionName(hash));
    if (members) for (const principal of members.principals) this.#forgetMember(members.org, principal);
    if (trusts) for (const name of trusts.names) this.#memory.delete(trustName(trusts.org, name));
    if (organization !== undefined) this.#memory.delete(organizationName(organization));
  }

  #forgetMember(org: OrganizationId, principal: PrincipalId): void {
    this.#memory.delete(memberName(org, principal));
    this.#memory.delete(joinedName(org, principal));
  }

  /** Returns the credential of a request if the endpoint takes it, whatever the role of the caller. */
  async #usable(sent: SentCredential, endpoint: Pick<Endpoint, 'method' | 'managesAccess'>): Promise<Credential> {
    const credential = await this.#known(sent, endpoint);
    if (endpoint.managesAccess && credential.key?.identity) throw exchangedKeyManagesNoAccess();
    return credential;
  }

  async #known(sent: SentCredential, { method }: Pick<Endpoint, 'method'>): Promise<Credential> {
    if (sent.kind === 'token') return this.#ofToken(sent);
    const hash = hashKey(sent.secret);
    if (sent.kind === 'key') return this.#ofKey(hash);
    const session = await this.#session(hash);
    const credential = await this.#ofSession(session);
    if (method !== 'GET' && !isTokenOf(session, sent.csrf)) throw csrfTokenNeeded();
    return credential;
  }

  /** The person of a token is the user who signed in with the same subject. A token makes no user and binds no address. */
  async #ofToken({ token, resource }: SentCredential & { kind: 'token' }): Promise<Credential> {
    const outcome = (await this.#tokens?.verify(token, resource)) ?? { refused: 'This service takes none' };
    if ('refused' in outcome) throw tokenRefused({ why: outcome.refused });
    if ('unavailable' in outcome) throw busy({}, { cause: outcome.unavailable });
    const { issuer, subject, claims, endsAt } = outcome.person;
    const user = await this.#remembered(`subject ${issuer} ${subject}`, () =>
      this.#principals.userOfSubject({ issuer, subject }),
    );
    if (!user) throw personUnknown({ address: new URL('/-/sign-in', resource).href });
    return { principal: { kind: 'user', id: user.id, name: user.name }, claims, endsAt };
  }

  /** Unknown, expired and revoked keys are refused alike, so that the answer says nothing about a key. */
  async #ofKey(hash: string): Promise<Credential> {
    const key = await this.#key(hash);
    if (!key || !isUsable(key, this.#clock.now()) || !(await this.#stands(key))) throw invalidKey();
    return { principal: key.principal, key, endsAt: key.graceEndsAt || key.expiresAt };
  }

  async #session(hash: string): Promise<KnownSession> {
    const session = await this.#remembered<KnownSession | typeof UNKNOWN>(
      sessionName(hash),
      async () => (await this.#principals.session(hash)) ?? UNKNOWN,
    );
    if (!session || 'unknown' in session || !sameHash(session.hash, hash)) throw invalidSession();
    return session;
  }

  /** A session ends with the secret that it was made from, also if a rotation gave that secret a grace. */
  async #ofSession(session: KnownSession): Promise<Credential> {
    const now = this.#clock.now();
    const { principal, key: from, expiresAt: endsAt } = session;
    if (endsAt <= now) throw invalidSession();
    if (!from) return { principal, session, claims: session.claims, endsAt };
    const key = await this.#key(from.hash);
    if (!key || !isCurrent(key, now) || !(await this.#stands(key))) throw invalidSession();
    return { principal: key.principal, key, session, endsAt };
  }

  async #key(hash: string): Promise<KeyOfPrincipal | undefined> {
    const key = await this.#remembered<KeyOfPrincipal | typeof UNKNOWN>(
      keyName(hash),
      async () => (await this.#principals.apiKey(hash)) ?? UNKNOWN,
    );
    return key && !('unknown' in key) && sameHash(key.hash, hash) ? key : undefined;
  }

  /**
   * Returns whether the trust and the service account stand behind a key that was exchanged for a token. Nothing is written
   * to end such keys (rules/identities.md#end-of-keys).
   */
  async #stands({ identity, terms, principal: { org, id } }: KeyOfPrincipal): Promise<boolean> {
    if (!identity) return true;
    if (org === undefined) return false;
    const name = trustName(org, identity.trust);
    const [trust, member] = await Promise.all([
      this.#remembered(name, () => this.#principals.trust(org, identity.trust)),
      this.#member(org, id),
    ]);
    return trust !== undefined && trust.terms === terms && member !== undefined;
  }

  #organization(name: string): Promise<KnownOrganization | undefined> {
    return this.#remembered(organizationName(name), async () =>
      name === '' ? undefined : this.#principals.organization(name),
    );
  }

  #member(org: OrganizationId, principal: PrincipalId): Promise<{ role: Role } | undefined> {
    return this.#remembered(memberName(org, principal), () => this.#principals.member(org, principal));
  }

  /** A sign-in rule counts once the person joined. Before that, the organization knows nothing of the person. */
  async #roleByRule(org: KnownOrganization, { principal: { id }, claims }: Credential): Promise<Role | undefined> {
    const role = this.#principals.roleByRule(org, claims);
    const joined = role && (await this.#remembered(joinedName(org.id, id), () => this.#principals.joined(org.id, id)));
    return joined && role;
  }

  /**
   * Returns the remembered value of a name, or else the result of `read`. The age of a value counts from the start of
   * its read.
   */
  async #remembered<V extends object>(name: string, read: () => Promise<V | undefined>): Promise<V | undefined> {
    const known = this.#memory.get(name);
    // The name says what was read, and each name has one type.
    if (known) return known as V;
    const start = this.#clock.now() / 1000;
    const found = await read();
    if (found) this.#memory.set(name, found, { start, ttl: 'unknown' in found ? DISTRUST_MILLIS : TRUST_MILLIS });
    return found;
  }

  /**
   * An unknown organization and an organization of others get the same error, so that nobody learns which names exist.
   */
  #accessible({ principal }: Credential, organization: KnownOrganization | undefined): KnownOrganization {
    const { org: only } = principal;
    if (!organization || (only !== undefined && only !== organization.id)) throw permissionDenied();
    return organization;
  }
}

/** @throws ServiceError `refused` for what the operator suspended (rules/organizations.md#suspension) */
function refuseSuspended({ name: org, suspension }: KnownOrganization, endpoint: Pick<Endpoint, 'uses'>): void {
  if (!suspension) return;
  const { what, reason } = suspension;
  if (what === 'everything') throw organizationSuspended({ org, reason });
  if (changesRecords(endpoint)) throw changesSuspended({ org, reason });
}

const keyName = (hash: string): string => `key ${hash}`;
const sessionName = (hash: string): string => `session ${hash}`;
const organizationName = (name: string): string => `organization ${name}`;
const trustName = (org: OrganizationId, name: string): string => `trust ${org} ${name}`;
const joinedName = (org: OrganizationId, principal: PrincipalId): string => `joined ${org} ${principal}`;
const memberName = (org: OrganizationId, principal: PrincipalId): string => `member ${org} ${principal}`;

const isUsable = ({ revoked, expiresAt, graceEndsAt }: KeyOfPrincipal, now: Micros): boolean =>
  !revoked && (expiresAt === 0 || expiresAt > now) && (graceEndsAt === 0 || graceEndsAt > now);

const isCurrent = (key: KeyOfPrincipal, now: Micros): boolean => key.graceEndsAt === 0 && isUsable(key, now);

/** A session of an earlier release has no token, so it can only read until its end. */
const isTokenOf = ({ csrf }: KnownSession, token: string | undefined): boolean =>
  csrf !== undefined && token !== undefined && sameHash(csrf, hashKey(token));

const callerOf = ({ key, principal: { kind, id, name } }: Credential): Caller => ({
  kind,
  id,
  name,
  keyId: key?.id ?? null,
  ...(key?.identity && { identity: key.identity }),
});
