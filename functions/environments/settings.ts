import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { EnvironmentId, Id, PolicyId } from '#shared/base/ids.ts';
import { invalidField, noErrors, refuseIfAny, shownInput } from '#shared/base/validation.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { refuseTooMany } from '#shared/environments/attached-policies.ts';
import { findEnvironments } from '#shared/environments/records/environments.ts';
import type { EnvironmentKind } from '#shared/environments/rules/environment-kinds.ts';
import { archivedEnvironment, unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { findPolicies } from '#shared/policies/records/policies.ts';
import { unknownPolicy } from '#shared/policies/rules/sentences.ts';
import type { Table } from '#shared/table/table.ts';

/** Limit of member names per request, since each name costs a read (rules/environments.md#members). */
export const MOST_MEMBERS = 500;
/** Limit of policy names per request. Names may repeat; {@link resolvePolicies} limits the distinct policies. */
export const MOST_POLICY_NAMES = 100;

/** Fields that PUT and PATCH share (rules/environments.md#patch). Absent and null mean unchanged. */
export const settingsFields = {
  include_scaling: z.boolean().nullish().meta({ deprecated: true, description: 'Ignored' }),
  included_environments: z.array(z.string()).max(MOST_MEMBERS).nullish().meta({
    description: 'Names of physical environments that a logical one includes from now on',
  }),
  policies: z.array(z.string()).max(MOST_POLICY_NAMES).nullish().meta({
    description: 'Names of the policies that are attached from now on',
  }),
};

export const ONLY_LOGICAL = 'Only a logical environment includes others';

/**
 * Resolves names of members to ids, each once, in the order given (rules/environments.md#members).
 * @param names as the request gives them
 * @returns undefined if the request leaves the members unchanged
 * @throws ServiceError 400 for members of a physical environment, and for each name of no physical environment
 */
export async function resolveMembers(
  table: Table,
  org: Organization,
  kind: EnvironmentKind,
  names: readonly string[] | null | undefined,
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

/** Sentence for a logical environment that cannot become a member. */
export const logicalMember = (name: string): string =>
  `Environment named '${shownInput(name)}' is logical: only physical environments can be included`;

/**
 * Resolves names of policies to ids, each once, ascending (rules/environments.md#attached-policies).
 * @param names as the request gives them
 * @returns undefined if the request leaves the policies unchanged
 * @throws ServiceError 404 for the first unknown name, 400 for more policies than an environment may have
 */
export async function resolvePolicies(
  table: Table,
  org: Organization,
  names: readonly string[] | null | undefined,
): Promise<PolicyId[] | undefined> {
  if (names == null) return undefined;
  const found = await findPolicies(table, org.id, names);
  const missing = names.find((name) => !found.has(name));
  if (missing !== undefined) throw unknownPolicy({ policy: shownInput(missing), org: org.name });
  const ids = [...found.values()].map(({ id }) => id).toSorted();
  refuseTooMany(ids, 'policies');
  return ids;
}

/**
 * The members after the next transaction of a change from `before` to `after`. That is `after` itself, unless more than
 * `most` members join and leave in total.
 */
export function nextMembers(
  before: readonly EnvironmentId[],
  after: readonly EnvironmentId[],
  most: number,
): readonly EnvironmentId[] {
  const left = before.filter((id) => !after.includes(id));
  const joined = after.filter((id) => !before.includes(id));
  if (left.length + joined.length <= most) return after;
  const leaving = new Set(left.slice(0, most));
  return [...before.filter((id) => !leaving.has(id)), ...joined.slice(0, most - leaving.size)];
}

export const sameIds = (one: readonly Id[], other: readonly Id[]): boolean => isDeepStrictEqual([...one], [...other]);
