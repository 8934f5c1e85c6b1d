import { hashKey, readCredential, sameHash } from '#shared/base/credentials.ts';
import type { OrganizationId, PrincipalId } from '#shared/base/ids.ts';
import { mayAs, type Role } from '#shared/base/roles.ts';
import type { Clock, Micros } from '#shared/base/time.ts';
import { asksForRole, type Caller, type Distrust, type Endpoint, type Organization } from './endpoint.ts';
import { type KeyOfPrincipal, type KnownOrganization, type Principals, USE_NOTED_EVERY } from './principals.ts';
import { authenticationRequired, featureOff, invalidKey, permissionDenied } from './sentences.ts';
import { ShortMemory } from './short-memory.ts';

/** Keys, organizations and memberships are trusted this long from the read on; unknown keys are remembered less long. */
const TRUST: Micros = 30_000_000;
const DISTRUST: Micros = 5_000_000;
const MOST_REMEMBERED = 2_000;

/** Who asks, and as what. */
export interface Identity {
  caller: Caller;
  /** The key item behind it, for {@link Authenticator.noteUse}. */
  key: KeyOfPrincipal;
  /** Set where the endpoint is an organization's. */
  org?: Organization;
  role?: Role;
}

/** Answers who asks and whether they may; nothing that it remembers is older than 30 seconds (design §3). */
export class Authenticator {
  readonly #principals: Principals;
  readonly #clock: Clock;
  readonly #keys: ShortMemory<KeyOfPrincipal | 'unknown'>;
  readonly #organizations: ShortMemory<KnownOrganization>;
  readonly #members: ShortMemory<{ role: Role }>;

  constructor(principals: Principals, clock: Clock) {
    this.#principals = principals;
    this.#clock = clock;
    this.#keys = new ShortMemory(clock, MOST_REMEMBERED);
    this.#organizations = new ShortMemory(clock, MOST_REMEMBERED);
    this.#members = new ShortMemory(clock, MOST_REMEMBERED);
  }

  /**
   * The checks before anything of the request is looked at, in the contract's order: credential (401), organization
   * (403), beta feature (403), role (403) (semantics §12.5). On a cold function the key and the organization are read
   * at once, then the membership.
   *
   * @param orgName the organization in the path; looked up only for endpoints that ask for a role
   * @throws ApiError 401 or 403
   */
  async admit(
    header: string | undefined,
    endpoint: Pick<Endpoint, 'access' | 'feature'>,
    orgName = '',
  ): Promise<Identity> {
    const secret = readCredential(header);
    if (secret === null) throw authenticationRequired();
    if (!asksForRole(endpoint.access)) {
      const key = await this.#usableKey(secret);
      if (endpoint.access === 'user' && key.principal.kind !== 'user') throw permissionDenied();
      return { key, caller: callerOf(key) };
    }
    const [key, organization] = await Promise.all([this.#usableKey(secret), this.#organization(orgName)]);
    const org = this.#accessible(key, organization);
    const member = await this.#member(org.id, key.principal.id);
    if (!member) throw permissionDenied();
    if (endpoint.feature && !org.features.includes(endpoint.feature)) throw featureOff();
    if (!mayAs(member.role, endpoint.access)) throw permissionDenied();
    const { id, name, kind, features } = org;
    return { key, caller: callerOf(key), org: { id, name, kind, features }, role: member.role };
  }

  /** Notes the use of a key beside the request, at most once an hour. */
  async noteUse({ key }: Identity): Promise<void> {
    const now = this.#clock.now();
    if (key.lastUsedAt > now - USE_NOTED_EVERY) return;
    await this.#principals.noteUse(key.hash, now);
    // What is remembered keeps its own end; the object is shared with the memory.
    key.lastUsedAt = now;
  }

  /** Forgets what a write of this function has just changed; other functions learn of it within 30 seconds. */
  forget({ keys = [], members, organization }: Distrust): void {
    for (const hash of keys) this.#keys.forget(hash);
    if (members) for (const principal of members.principals) this.#members.forget(membership(members.org, principal));
    if (organization !== undefined) this.#organizations.forget(organization);
  }

  /** Unknown, expired and revoked keys are refused alike, so that the answer says nothing about a key. */
  async #usableKey(secret: string): Promise<KeyOfPrincipal> {
    const hash = hashKey(secret);
    const key = this.#keys.get(hash) ?? (await this.#readKey(hash));
    if (key === 'unknown' || !sameHash(key.hash, hash) || !isUsable(key, this.#clock.now())) throw invalidKey();
    return key;
  }

  async #readKey(hash: string): Promise<KeyOfPrincipal | 'unknown'> {
    const before = this.#clock.now();
    const key = (await this.#principals.apiKey(hash)) ?? 'unknown';
    this.#keys.set(hash, key, before + (key === 'unknown' ? DISTRUST : TRUST));
    return key;
  }

  async #organization(name: string): Promise<KnownOrganization | undefined> {
    const remembered = this.#organizations.get(name);
    if (remembered) return remembered;
    const before = this.#clock.now();
    const found = name === '' ? undefined : await this.#principals.organization(name);
    if (found) this.#organizations.set(name, found, before + TRUST);
    return found;
  }

  async #member(org: OrganizationId, principal: PrincipalId): Promise<{ role: Role } | undefined> {
    const name = membership(org, principal);
    const remembered = this.#members.get(name);
    if (remembered) return remembered;
    const before = this.#clock.now();
    const found = await this.#principals.member(org, principal);
    if (found) this.#members.set(name, found, before + TRUST);
    return found;
  }

  /** An unknown organization and somebody else's get the same refusal (design §2.11). */
  #accessible(key: KeyOfPrincipal, organization: KnownOrganization | undefined): KnownOrganization {
    const { org: only } = key.principal;
    if (!organization || (only !== undefined && only !== organization.id)) throw permissionDenied();
    return organization;
  }
}

const membership = (org: OrganizationId, principal: PrincipalId): string => `${org} ${principal}`;

const isUsable = ({ revoked, expiresAt, graceEndsAt }: KeyOfPrincipal, now: Micros): boolean =>
  !revoked && (expiresAt === 0 || expiresAt > now) && (graceEndsAt === 0 || graceEndsAt > now);

const callerOf = ({ id: keyId, principal: { kind, id, name } }: KeyOfPrincipal): Caller => ({ kind, id, name, keyId });
