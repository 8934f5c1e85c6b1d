import * as z from 'zod';
import { newId } from '#shared/base/ids.ts';
import { parseJson } from '#shared/base/json-text.ts';
import { retrying } from '#shared/base/retry.ts';
import { EPOCH } from '#shared/base/time.ts';
import { noErrors, validate } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { hashKey, mintKey } from '#shared/callers/credentials.ts';
import { Feature, Role } from '#shared/callers/roles.ts';
import { newKey, userPrincipal } from './records/api-keys.ts';
import { OPERATOR } from './records/audit.ts';
import { Directory } from './records/directory.ts';
import { DirectoryName, NewOrganizationName, type UserRecord } from './records/directory-records.ts';
import { giveRole } from './records/members.ts';
import { setFeatures } from './records/organization-fields.ts';

/** The form of a seed file: organizations with their first members and keys (rules/organizations.md#seeds). */
export const Seed = z.strictObject({
  organizations: z.array(
    z.strictObject({
      name: NewOrganizationName,
      personal: z.boolean().default(false),
      features: z.array(Feature).default([]),
      members: z
        .array(
          z.strictObject({
            user: DirectoryName,
            role: Role,
            /** Stored in any form. Absent = a user without a key gets a new one. */
            api_key: z.string().min(1).optional(),
          }),
        )
        .default([]),
    }),
  ),
});
export type Seed = z.output<typeof Seed>;

/** A seed cannot be loaded. `problems` has one sentence per problem. */
export class SeedError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[], cause?: unknown) {
    super(problems.join('\n'), { cause });
    this.name = 'SeedError';
    this.problems = problems;
  }
}

/** A key that was made for a user. The caller has to show it now, because only its hash is stored. */
export interface MadeKey {
  user: string;
  organizations: string[];
  key: string;
}

interface SeedResult {
  /** Names of the new organizations. */
  created: string[];
  keys: MadeKey[];
}

type SeedServices = Pick<Stores, 'table' | 'clock'>;

/** Parses and checks the JSON text of a seed. @throws SeedError if the text is not a seed */
export function readSeed(text: string): Seed {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    throw new SeedError(['The seed is not JSON'], error);
  }
  return checkSeed(value);
}

/** Checks a seed without the stored data. @throws SeedError with every problem */
function checkSeed(value: unknown): Seed {
  const errors = noErrors();
  const seed = validate(Seed, value, { whole: 'seed' }, errors);
  if (!seed) throw new SeedError(Object.entries(errors).map(([name, text]) => `${name}: ${text}`));
  const problems = [...repeated(seed), ...sharedKeys(seed)];
  if (problems.length > 0) throw new SeedError(problems);
  return seed;
}

function* repeated({ organizations }: Seed): Generator<string> {
  const names = new Set<string>();
  for (const { name, members } of organizations) {
    if (names.has(name)) yield `The organization '${name}' is there twice`;
    names.add(name);
    const users = new Set<string>();
    for (const { user } of members) {
      if (users.has(user)) yield `The user '${user}' is a member of '${name}' twice`;
      users.add(user);
    }
  }
}

function* sharedKeys(seed: Seed): Generator<string> {
  const owners = new Map<string, string>();
  for (const { members } of seed.organizations) {
    for (const { user, api_key: key } of members) {
      const owner = key && owners.get(key);
      if (owner && owner !== user) yield `The users '${owner}' and '${user}' are given the same key`;
      if (key) owners.set(key, user);
    }
  }
}

/**
 * Loads a seed (rules/organizations.md#seeds). Existing organizations keep their ids, and existing users keep their keys.
 * Features are switched on, never off. Members get the role of the seed. Loading the same seed twice changes nothing.
 *
 * @param value a seed from {@link readSeed}, or any value in its form
 * @throws SeedError if the seed contradicts itself or the stored data; nothing is stored then
 */
export async function applySeed(services: SeedServices, value: unknown): Promise<SeedResult> {
  const seed = checkSeed(value);
  const directory = new Directory(services.table);
  await checkAgainstStore(directory, seed);
  const created: string[] = [];
  const users = new Map<string, UserRecord>();
  for (const organization of seed.organizations) {
    if (await seedOrganization(services, directory, organization, users)) created.push(organization.name);
  }
  const keys: MadeKey[] = [];
  for (const user of users.values()) keys.push(...(await seedKeys(services, directory, seed, user)));
  return { created, keys };
}

async function checkAgainstStore(directory: Directory, { organizations }: Seed): Promise<void> {
  const problems: string[] = [];
  for (const { name, personal, members } of organizations) {
    const stored = await directory.organization(name);
    const kind = personal ? 'personal' : 'shared';
    if (stored && stored.kind !== kind) problems.push(`The organization '${name}' exists and is not ${kind}`);
    for (const { user, api_key: key } of members) {
      const owner = key && (await directory.apiKey(hashKey(key)))?.principal;
      if (owner && !(owner.kind === 'user' && owner.name === user)) {
        problems.push(`The key given for the user '${user}' belongs to '${owner.name}'`);
      }
    }
  }
  if (problems.length > 0) throw new SeedError(problems);
}

/** @returns whether the organization is new */
async function seedOrganization(
  { table, clock }: SeedServices,
  directory: Directory,
  seed: Seed['organizations'][number],
  users: Map<string, UserRecord>,
): Promise<boolean> {
  const now = clock.now();
  const stamp = { at: now, actor: OPERATOR };
  const { record, created } = await directory.createOrganization({
    id: newId(now),
    name: seed.name,
    kind: seed.personal ? 'personal' : 'shared',
    features: seed.features.toSorted(),
    createdAt: now,
  });
  await retrying(async () => {
    const current = created ? undefined : await directory.organization(seed.name);
    const missing = seed.features.filter((feature) => !current?.features.includes(feature));
    if (!current || missing.length === 0) return 'done';
    return setFeatures(table, current, [...current.features, ...missing], stamp);
  });
  for (const { user: name, role } of seed.members) {
    const user = users.get(name) ?? (await directory.createUser({ id: newId(now), name, createdAt: now })).record;
    users.set(name, user);
    await giveRole(table, record.id, user, role, stamp);
  }
  return created;
}

/** Stores the seed's keys of a user. Makes a key if the seed has none for the user and the user has none. */
async function seedKeys(
  { clock }: SeedServices,
  directory: Directory,
  { organizations }: Seed,
  user: UserRecord,
): Promise<MadeKey[]> {
  const own = organizations.flatMap(({ name, members }) =>
    members.filter((member) => member.user === user.name).map((member) => ({ organization: name, ...member })),
  );
  const given = [...new Set(own.flatMap(({ api_key: key }) => (key === undefined ? [] : [key])))];
  const add = async (key: string, description: string) => {
    await directory.addKey(newKey(userPrincipal(user), { secret: key, description, expiresAt: EPOCH }, clock.now()));
  };
  for (const key of given) await add(key, 'Given by the seed');
  if (given.length > 0 || (await directory.hasKey(user.id))) return [];
  const key = mintKey();
  await add(key, 'Made for the seed');
  return [{ user: user.name, organizations: own.map(({ organization }) => organization), key }];
}
