import type { Id, OrganizationId, PrincipalId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { type KnownOrganization, type Principals, USE_RECORDED_EVERY } from '#shared/callers/principals.ts';
import type { Role } from '#shared/callers/roles.ts';
import type { SignInClaims } from '#shared/callers/sign-in-claims.ts';
import { absent, atMost, change, either, exists } from '#shared/table/expressions.ts';
import { type Item, putIfAbsent, readRecord, type Table, type Write } from '#shared/table/table.ts';
import { countOrganization } from '#shared/table/table-state.ts';
import { type Person, subjectHash } from '../rules/sign-in.ts';
import { type LettingIn, ruleFor } from '../rules/sign-in-rules.ts';
import { lastUseOf, type NewKey, newKeyWrites } from './api-keys.ts';
import {
  ApiKeyRecord,
  DirectoryName,
  MemberOfRecord,
  type MemberRecord,
  OrganizationRecord,
  SessionRecord,
  SubjectRecord,
  UserRecord,
} from './directory-records.ts';
import {
  apiKeyKey,
  keyUseKey,
  memberOfKey,
  organizationKey,
  organizationListKey,
  principalKeyList,
  sessionKey,
  subjectKey,
  userKey,
} from './keys.ts';
import { readMember } from './members.ts';
import { readTrust, type TrustRecord } from './trusts.ts';

/**
 * Returns the writes that create an organization.
 *
 * @param taken result of the transaction if the name is taken; without it the transaction throws
 */
export const newOrganizationWrites = <R = never>(
  record: OrganizationRecord,
  taken?: (old: Item | undefined) => R,
): Write<R>[] => [
  putIfAbsent({ ...organizationKey(record.name), ...record }, taken),
  { put: { ...organizationListKey(record.id), v: 1, id: record.id, name: record.name } },
  ...(record.kind === 'shared' ? [countOrganization()] : []),
];

/** Returns the write that creates a user, with the same meaning of `taken`. */
export const newUserWrite = <R = never>(record: UserRecord, taken?: (old: Item | undefined) => R): Write<R> =>
  putIfAbsent({ ...userKey(record.name), ...record, organizationsListed: 'all' }, taken);

/**
 * Reads and writes organizations, users, memberships and API keys. Authentication reads most of them before it knows the
 * organization, so they lie outside the organizations' partitions (rules/storage.md#partitions). All reads are strongly
 * consistent.
 */
export class Directory implements Principals {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  /** @param hash SHA-256 of the secret, in hex */
  apiKey(hash: string): Promise<ApiKeyRecord | undefined> {
    return readRecord(this.#table, apiKeyKey(hash), ApiKeyRecord);
  }

  /** @param hash SHA-256 of the secret, in hex */
  session(hash: string): Promise<SessionRecord | undefined> {
    return readRecord(this.#table, sessionKey(hash), SessionRecord);
  }

  userOfSubject(person: Pick<Person, 'issuer' | 'subject'>): Promise<SubjectRecord | undefined> {
    return readRecord(this.#table, subjectKey(subjectHash(person)), SubjectRecord);
  }

  /** Finds an organization. A name outside the pattern is unknown without a read, because it may be too long for a key. */
  async organization(name: string): Promise<OrganizationRecord | undefined> {
    if (!DirectoryName.safeParse(name).success) return undefined;
    return readRecord(this.#table, organizationKey(name), OrganizationRecord);
  }

  async user(name: string): Promise<UserRecord | undefined> {
    if (!DirectoryName.safeParse(name).success) return undefined;
    return readRecord(this.#table, userKey(name), UserRecord);
  }

  async member(org: OrganizationId, principal: PrincipalId): Promise<MemberRecord | undefined> {
    return readMember(this.#table, org, principal);
  }

  roleByRule(org: KnownOrganization & LettingIn, claims: SignInClaims | undefined): Role | undefined {
    return ruleFor(org, claims)?.role;
  }

  async joined(org: OrganizationId, principal: PrincipalId): Promise<{ at: Micros } | undefined> {
    const listed = await readRecord(this.#table, memberOfKey(principal, org), MemberOfRecord);
    return listed?.joinedAt === undefined ? undefined : { at: listed.joinedAt };
  }

  async trust(org: OrganizationId, name: string): Promise<TrustRecord | undefined> {
    return readTrust(this.#table, org, name);
  }

  /** Returns whether a principal has a key, even an expired one. */
  async hasKey(principal: PrincipalId): Promise<boolean> {
    const items = await this.#table.query({ pk: principalKeyList(principal), limit: 1 });
    return items.length > 0;
  }

  /** @returns the organization that has the name, and whether this call created it */
  async createOrganization(
    organization: Omit<OrganizationRecord, 'v'>,
    audited: Write[] = [],
  ): Promise<{ record: OrganizationRecord; created: boolean }> {
    const record: OrganizationRecord = { v: 1, ...organization };
    const outcome = await this.#table.transact([
      ...newOrganizationWrites(record, (old) => OrganizationRecord.parse(old)),
      ...audited,
    ]);
    return outcome === 'done' ? { record, created: true } : { record: outcome, created: false };
  }

  /** @returns the user who has the name, and whether this call created the user */
  async createUser(user: Omit<UserRecord, 'v'>): Promise<{ record: UserRecord; created: boolean }> {
    const record: UserRecord = { v: 1, ...user };
    const outcome = await this.#table.write(newUserWrite(record, (old) => UserRecord.parse(old)));
    return outcome === 'done' ? { record, created: true } : { record: outcome, created: false };
  }

  /** Sets the default organization of a user (rules/organizations.md#default-organization). */
  async setDefaultOrganization(user: string, { id, name }: { id: OrganizationId; name: string }): Promise<void> {
    await this.#table.update(userKey(user), change({ set: { defaultOrganization: { id, name } } }, exists()));
  }

  /** Stores a key by the hash of its secret. @returns the existing key if one has the same secret */
  async addKey(key: NewKey): Promise<'added' | ApiKeyRecord> {
    const outcome = await this.#table.transact(newKeyWrites(key, (old) => ApiKeyRecord.parse(old)));
    return outcome === 'done' ? 'added' : outcome;
  }

  /**
   * Stores the time of use of a key if the stored time is older than an hour (rules/organizations.md#last-use). Most calls
   * find a newer time. The read before the write makes these calls cheaper than a write that is refused.
   *
   * @returns the stored time
   */
  async recordUse(keyId: Id, now: Micros): Promise<Micros> {
    const lastUsedAt = lastUseOf(await this.#table.get(keyUseKey(keyId)));
    if (lastUsedAt > now - USE_RECORDED_EVERY) return lastUsedAt;
    await this.#table.update(
      keyUseKey(keyId),
      change({ set: { lastUsedAt: now, v: 1 } }, either(absent(), atMost({ lastUsedAt: now - USE_RECORDED_EVERY }))),
    );
    return now;
  }
}
