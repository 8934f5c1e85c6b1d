import type { Id } from '../ids.ts';
import type { Feature, Role } from '../roles.ts';
import type { Micros } from '../time.ts';
import {
  ApiKeyRecord,
  DirectoryName,
  MemberRecord,
  OrganizationRecord,
  type Principal,
  type PrincipalKeyRecord,
  UserRecord,
} from './directory-records.ts';
import {
  apiKeyKey,
  memberKey,
  organizationKey,
  organizationListKey,
  principalKeyKey,
  principalKeyList,
  userKey,
} from './keys.ts';
import { putIfAbsent, type Table } from './table.ts';

/** `last_used_at` is written at most this often per key, in microseconds (design §3, «Authentication»). */
export const USE_NOTED_EVERY: Micros = 3_600_000_000;

/**
 * Organizations, users, memberships and API keys: what is looked up before an organization is known, and therefore
 * outside the organizations' partitions (design §2.11). All reads are strongly consistent.
 */
export class Directory {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  /** @param hash SHA-256 of the secret, in hex */
  async apiKey(hash: string): Promise<ApiKeyRecord | undefined> {
    const item = await this.#table.get(apiKeyKey(hash));
    return item && ApiKeyRecord.parse(item);
  }

  /** A name that no organization can have is unknown without a look: keys have a limit, paths hardly one. */
  async organization(name: string): Promise<OrganizationRecord | undefined> {
    if (!DirectoryName.safeParse(name).success) return undefined;
    const item = await this.#table.get(organizationKey(name));
    return item && OrganizationRecord.parse(item);
  }

  async user(name: string): Promise<UserRecord | undefined> {
    const item = await this.#table.get(userKey(name));
    return item && UserRecord.parse(item);
  }

  async member(org: Id, principal: Id): Promise<MemberRecord | undefined> {
    const item = await this.#table.get(memberKey(org, principal));
    return item && MemberRecord.parse(item);
  }

  /** Whether a principal has any key, usable or not. */
  async hasKey(principal: Id): Promise<boolean> {
    const items = await this.#table.query({ pk: principalKeyList(principal), limit: 1 });
    return items.length > 0;
  }

  /** @returns the organization that has the name now, and whether this call made it */
  async createOrganization(
    organization: Omit<OrganizationRecord, 'v'>,
  ): Promise<{ record: OrganizationRecord; created: boolean }> {
    const record: OrganizationRecord = { v: 1, ...organization };
    const { id, name } = record;
    const outcome = await this.#table.transact([
      putIfAbsent({ ...organizationKey(name), ...record }, (old) => OrganizationRecord.parse(old)),
      { put: { ...organizationListKey(id), v: 1, id, name } },
    ]);
    return outcome === 'done' ? { record, created: true } : { record: outcome, created: false };
  }

  /** @returns the user who has the name now, and whether this call made it */
  async createUser(user: Omit<UserRecord, 'v'>): Promise<{ record: UserRecord; created: boolean }> {
    const record: UserRecord = { v: 1, ...user };
    const outcome = await this.#table.write(
      putIfAbsent({ ...userKey(record.name), ...record }, (old) => UserRecord.parse(old)),
    );
    return outcome === 'done' ? { record, created: true } : { record: outcome, created: false };
  }

  /** Gives a principal a role in an organization; a member's role is replaced. @returns the role it had before */
  async setMember(org: Id, principal: Principal, role: Role, now: Micros): Promise<Role | undefined> {
    const record: MemberRecord = {
      v: 1,
      principal: principal.id,
      kind: principal.kind,
      name: principal.name,
      role,
      addedAt: now,
    };
    const key = memberKey(org, principal.id);
    const outcome = await this.#table.write(putIfAbsent({ ...key, ...record }, (old) => MemberRecord.parse(old)));
    if (outcome === 'done') return undefined;
    if (outcome.role !== role) {
      await this.#table.update(key, {
        UpdateExpression: 'SET #role = :role',
        ExpressionAttributeNames: { '#role': 'role' },
        ExpressionAttributeValues: { ':role': role },
      });
    }
    return outcome.role;
  }

  /**
   * Switches a beta feature on or off; switching it to what it is changes nothing.
   * @returns false where the features changed since the record was read
   */
  async setFeature(organization: OrganizationRecord, feature: Feature, on: boolean): Promise<boolean> {
    const others = organization.features.filter((had) => had !== feature);
    const features = on ? [...others, feature].toSorted() : others;
    return this.#table.update(organizationKey(organization.name), {
      UpdateExpression: 'SET #features = :features',
      ConditionExpression: '#features = :before',
      ExpressionAttributeNames: { '#features': 'features' },
      ExpressionAttributeValues: { ':features': features, ':before': organization.features },
    });
  }

  /** Stores a key by the hash of its secret. @returns the key that has this secret already, where there is one */
  async addKey(
    key: Pick<ApiKeyRecord, 'id' | 'hash' | 'principal' | 'description' | 'createdAt' | 'expiresAt'>,
  ): Promise<'added' | ApiKeyRecord> {
    const record: ApiKeyRecord = { v: 1, graceEndsAt: 0, revoked: false, lastUsedAt: 0, ...key };
    const entry: PrincipalKeyRecord = { v: 1, id: key.id, hash: key.hash };
    const outcome = await this.#table.transact([
      putIfAbsent({ ...apiKeyKey(key.hash), ...record }, (old) => ApiKeyRecord.parse(old)),
      { put: { ...principalKeyKey(key.principal.id, key.id), ...entry } },
    ]);
    return outcome === 'done' ? 'added' : outcome;
  }

  /** Notes that a key was used, unless that was noted within the last hour. */
  async noteUse(hash: string, now: Micros): Promise<void> {
    await this.#table.update(apiKeyKey(hash), {
      UpdateExpression: 'SET lastUsedAt = :now',
      ConditionExpression: 'attribute_exists(pk) AND lastUsedAt < :hourAgo',
      ExpressionAttributeValues: { ':now': now, ':hourAgo': now - USE_NOTED_EVERY },
    });
  }
}
