import type { Services } from '#functions/services.ts';
import { newId, type OrganizationId, type PrincipalId } from '#shared/base/ids.ts';
import { EPOCH, type Micros } from '#shared/base/time.ts';
import { hashKey, mintKey } from '#shared/callers/credentials.ts';
import type { KeyOfPrincipal, KnownOrganization, Principals } from '#shared/callers/principals.ts';
import { newKeyWrites, readKeys } from '#shared/organizations/records/api-keys.ts';
import { auditWrite, OPERATOR } from '#shared/organizations/records/audit.ts';
import { Directory, newOrganizationWrites } from '#shared/organizations/records/directory.ts';
import type { OrganizationRecord, UserRecord } from '#shared/organizations/records/directory-records.ts';
import { organizationListKey } from '#shared/organizations/records/keys.ts';
import { giveRole } from '#shared/organizations/records/members.ts';

/** Name of the organization of the demo data. */
export const DEMO_ORGANIZATION = 'webshop';
/** The user of the first start, who is an admin of this organization too. */
export const ADMIN = 'demo-admin';

type Stores = Pick<Services, 'table' | 'clock'>;

/**
 * The organization while it is filled. Nobody finds it by its name before {@link publish}. So a load that was interrupted
 * leaves nothing that anybody sees, and the next load makes another organization.
 */
export class DemoOrganization implements Principals {
  readonly #directory: Directory;
  readonly #stores: Stores;
  readonly #record: OrganizationRecord;
  /** Keys that stand for the users. Their secrets exist in this process only. */
  readonly #keys = new Map<string, KeyOfPrincipal>();
  #listed: Promise<void> | undefined;
  readonly #known = new Map<string, Promise<unknown>>();

  private constructor(stores: Stores) {
    this.#stores = stores;
    this.#directory = new Directory(stores.table);
    const createdAt = stores.clock.now();
    this.#record = {
      v: 1,
      id: newId<OrganizationId>(createdAt),
      name: DEMO_ORGANIZATION,
      kind: 'shared',
      features: ['controls', 'evaluations'],
      createdAt,
    };
  }

  static async create(stores: Stores): Promise<DemoOrganization> {
    const organization = new DemoOrganization(stores);
    const { id, name, features } = organization.#record;
    const stamp = { at: stores.clock.now(), actor: OPERATOR };
    await stores.table.write(
      auditWrite(id, stamp, {
        kind: 'organization.created',
        subject: { type: 'organization', id, name },
        after: { kind: 'shared', features },
      }),
    );
    return organization;
  }

  get id(): OrganizationId {
    return this.#record.id;
  }

  /** The organization has neither sign-in rules nor trusts while it is filled. */
  roleByRule(): undefined {}
  async trust(): Promise<undefined> {}

  /** No session is used in a load, and nobody signs in. */
  async session(): Promise<undefined> {}
  async userOfSubject(): Promise<undefined> {}
  async joined(): Promise<undefined> {}

  /** Adds a user as a member. @returns a secret that stands for the user in this load */
  async addUser(name: string, role: 'admin' | 'member'): Promise<string> {
    const { table, clock } = this.#stores;
    const now = clock.now();
    const { record } = await this.#directory.createUser({ id: newId<PrincipalId>(now), name, createdAt: now });
    await giveRole(table, this.id, record, role, { at: now, actor: OPERATOR });
    const secret = mintKey();
    this.#keys.set(hashKey(secret), { ...(await this.#keyOf(record, now)), hash: hashKey(secret) });
    return secret;
  }

  /** Returns the key of a user, and makes one for a user without a key. Nobody gets its secret. */
  async #keyOf({ id, name }: UserRecord, now: Micros): Promise<KeyOfPrincipal> {
    const [present] = await readKeys(this.#stores.table, id, now);
    if (present) return present.current;
    const principal = { kind: 'user' as const, id, name };
    const key = { id: newId(now), hash: hashKey(mintKey()), principal, description: 'laptop', createdAt: now };
    await this.#stores.table.transact(newKeyWrites({ ...key, expiresAt: EPOCH }));
    return { ...key, expiresAt: EPOCH, graceEndsAt: EPOCH, revoked: false };
  }

  /** Puts the organization into the list of organizations, in which notifications find its name by its id. */
  list(): Promise<void> {
    const { id, name } = this.#record;
    this.#listed ??= this.#stores.table.put({ ...organizationListKey(id), v: 1, id, name });
    return this.#listed;
  }

  /** Makes the organization visible. */
  async publish(): Promise<void> {
    await this.#stores.table.transact(newOrganizationWrites(this.#record));
  }

  async apiKey(hash: string): Promise<KeyOfPrincipal | undefined> {
    return this.#keys.get(hash) ?? this.#once(`key ${hash}`, () => this.#directory.apiKey(hash));
  }

  async organization(name: string): Promise<KnownOrganization | undefined> {
    return name === DEMO_ORGANIZATION ? this.#record : this.#directory.organization(name);
  }

  member(org: OrganizationId, principal: PrincipalId) {
    return this.#once(`member ${org} ${principal}`, () => this.#directory.member(org, principal));
  }

  /** The requests of a load are no use of a key. */
  async recordUse(_: string, now: Micros): Promise<Micros> {
    return now;
  }

  /** The clock of a load runs too fast for the memory of authentication, and nothing changes roles or keys beside the load. */
  #once<T>(name: string, read: () => Promise<T>): Promise<T> {
    // Each name belongs to one read, and so to one type.
    const reading = (this.#known.get(name) as Promise<T> | undefined) ?? read();
    this.#known.set(name, reading);
    return reading;
  }
}

/** Returns whether the organization of the demo data is there. */
export const isPublished = async ({ table }: Pick<Services, 'table'>): Promise<boolean> =>
  (await new Directory(table).organization(DEMO_ORGANIZATION)) !== undefined;
