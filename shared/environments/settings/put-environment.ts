import { type EnvironmentId, newId } from '#shared/base/ids.ts';
import type { EnvironmentName, PolicyName } from '#shared/base/names.ts';
import { allInOrder } from '#shared/base/parallel.ts';
import { again, retrying } from '#shared/base/retry.ts';
import { invalidField, noErrors, refuseIfAny, shownInput } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { auditOf, authored } from '#shared/organizations/records/audit.ts';
import { findPolicies } from '#shared/policies/records/policies.ts';
import { unknownPolicy } from '#shared/policies/rules/sentences.ts';
import type { Appended } from '#shared/table/idempotency.ts';
import type { Table } from '#shared/table/table.ts';
import { type Uses, usesTogether } from '#shared/table/uses.ts';
import { refuseTooMany } from '../attached-policies.ts';
import { presentEnvironmentRecord } from '../present-environment.ts';
import type { EnvironmentFacts } from '../records/environment-records.ts';
import { newEnvironmentWrites, prepareEnvironmentFacts } from '../records/environment-writes.ts';
import {
  type Environment,
  findEnvironments,
  NO_ENVIRONMENT_FACTS,
  readEnvironmentByName,
} from '../records/environments.ts';
import type { EnvironmentKind } from '../rules/environment-kinds.ts';
import { logicalMember, ONLY_LOGICAL } from '../rules/members.ts';
import { archivedEnvironment, unknownEnvironment } from '../rules/sentences.ts';
import { CHANGE_SETTINGS, changeSettings, MEMBERS_AT_ONCE, type Settings } from './change-settings.ts';

/** Settings as a caller gives them; absent and null = unchanged. */
interface GivenSettings {
  description?: string | null | undefined;
  members?: readonly EnvironmentName[] | null | undefined;
  policies?: readonly PolicyName[] | null | undefined;
}

interface GivenEnvironment extends GivenSettings {
  name: EnvironmentName;
  kind: EnvironmentKind;
  requireProvenance?: boolean | null | undefined;
}

export const PUT_ENVIRONMENT: Uses = usesTogether([CHANGE_SETTINGS, { writes: ['ENVNAME'] }]);

/**
 * Creates an environment, or changes the one that has this name (rules/environments.md#create-or-update). An empty
 * description leaves the present one.
 *
 * @returns the snapshot that new policies stored; null if none was stored
 * @throws ServiceError `invalid` for another type than the present one, and for names that are no members; `not-found` for
 *   unknown policies
 */
export async function putEnvironment(
  stores: Stores,
  by: Author<Appended | null>,
  given: GivenEnvironment,
): Promise<Appended | null> {
  const { table, objects } = stores;
  const { org } = by;
  return retrying(async () => {
    const [found, members] = await Promise.all([
      readEnvironmentByName(table, objects, org.id, given.name),
      resolveMembers(table, org, given.kind, given.members),
    ]);
    const present = found && isPresent(found, given.name) ? found : null;
    if (present && present.head.kind !== given.kind) {
      const text = `The type of an environment never changes, this one is of type ${present.head.kind}`;
      throw invalidField('type', text, given.kind);
    }
    const settings = { facts: factsOf(given), members, policies: await resolvePolicies(table, org, given.policies) };
    return present ? changeSettings(stores, by, present, settings) : create(stores, by, given, settings);
  });
}

/**
 * Changes settings of an environment (rules/environments.md#patch). An empty description clears the present one.
 *
 * @param environment present name or alias
 * @returns the snapshot that new policies stored; null if none was stored
 * @throws ServiceError `not-found` if the environment or a policy does not exist, `invalid` for names that are no members
 */
export async function patchEnvironment(
  stores: Stores,
  by: Author<Appended | null>,
  environment: EnvironmentName,
  given: GivenSettings,
): Promise<Appended | null> {
  const { table, objects } = stores;
  const { org } = by;
  return retrying(async () => {
    const present = await presentEnvironmentRecord(table, objects, org, environment);
    const [members, policies] = await allInOrder([
      resolveMembers(table, org, present.head.kind, given.members),
      resolvePolicies(table, org, given.policies),
    ]);
    const facts = given.description == null ? {} : { description: given.description };
    return changeSettings(stores, by, present, { facts, members, policies });
  });
}

/** Whether the request updates this environment. An alias or an archived name goes to a new one (rules/environments.md#names). */
const isPresent = ({ head }: Environment, name: string): boolean => head.name === name && head.archived === null;

const factsOf = ({ description, requireProvenance }: GivenEnvironment) => ({
  ...(description && { description }),
  ...(requireProvenance != null && { requireProvenance }),
});

async function create(
  { table, objects, clock }: Stores,
  by: Author<Appended | null>,
  { name, kind }: GivenEnvironment,
  { facts, members = [], policies = [] }: Settings,
): Promise<null | 'again'> {
  const { org, caller } = by;
  const at = clock.now();
  const id = newId<EnvironmentId>(at);
  const all: EnvironmentFacts = { ...NO_ENVIRONMENT_FACTS, ...facts };
  const prepared = prepareEnvironmentFacts(objects, org.id, id, all);
  await prepared.upload();
  const first = members.slice(0, MEMBERS_AT_ONCE);
  const environment = { id, name, kind, at, by: caller.name, facts: prepared, policies, members: first };
  const { writes, covers } = newEnvironmentWrites(org.id, environment, again);
  const created = {
    kind: 'environment.created',
    subject: { type: 'environment', id, name },
    after: { type: kind, ...all, members: first, policies },
    covers,
  } as const;
  if (first.length === members.length) {
    const done = await table.transact<'again'>([...authored(by, created, null), ...writes]);
    return done === 'again' ? done : null;
  }
  // The environment is created with as many members as fit into one transaction. The retry adds the rest by an update.
  await table.transact<'again'>([...writes, auditOf(by, created)]);
  return 'again';
}

/**
 * Resolves names of members to ids, each once, in the order given (rules/environments.md#members).
 * @param names as the request gives them
 * @returns undefined if the request leaves the members unchanged
 * @throws ServiceError 400 for members of a physical environment, and for each name of no physical environment
 */
async function resolveMembers(
  table: Table,
  org: Organization,
  kind: EnvironmentKind,
  names: readonly EnvironmentName[] | null | undefined,
): Promise<EnvironmentId[] | undefined> {
  if (names == null) return undefined;
  if (kind !== 'logical') {
    if (names.length === 0) return undefined;
    throw invalidField('included_environments', ONLY_LOGICAL, names);
  }
  const found = await findEnvironments(table, org.id, names);
  const errors = noErrors();
  for (const [n, name] of names.entries()) {
    const head = found.get(name);
    const shown = { env: shownInput(name), org: org.name };
    if (!head) errors[`included_environments[${n}]`] = unknownEnvironment(shown).message;
    else if (head.archived !== null) errors[`included_environments[${n}]`] = archivedEnvironment(shown).message;
    else if (head.kind === 'logical') errors[`included_environments[${n}]`] = logicalMember(name);
  }
  refuseIfAny(errors);
  return [...new Set(names.flatMap((name) => found.get(name)?.id ?? []))];
}

/**
 * Resolves names of policies to ids, each once, ascending (rules/environments.md#attached-policies).
 * @param names as the request gives them
 * @returns undefined if the request leaves the policies unchanged
 * @throws ServiceError 404 for the first unknown name, 400 for more policies than an environment may have
 */
async function resolvePolicies(table: Table, org: Organization, names: readonly PolicyName[] | null | undefined) {
  if (names == null) return undefined;
  const found = await findPolicies(table, org.id, names);
  const missing = names.find((name) => !found.has(name));
  if (missing !== undefined) throw unknownPolicy({ policy: shownInput(missing), org: org.name });
  const ids = [...found.values()].map(({ id }) => id).toSorted();
  refuseTooMany(ids, 'policies');
  return ids;
}
