import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { EnvironmentId, Id, PolicyId } from '#shared/base/ids.ts';
import { invalidField, noErrors, refuseIfAny, shownInput } from '#shared/base/validation.ts';
import { refuseTooMany } from '#shared/environments/attached-policies.ts';
import { findEnvironments } from '#shared/environments/records/environments.ts';
import type { EnvironmentKind } from '#shared/environments/rules/environment-kinds.ts';
import { archivedEnvironment, unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import type { Organization } from '#shared/http/endpoint.ts';
import { findPolicies } from '#shared/policies/records/policies.ts';
import { unknownPolicy } from '#shared/policies/rules/sentences.ts';
import type { Table } from '#shared/table/table.ts';

/** More members than these are no group that anybody looks at, and each name costs a look. */
export const MOST_MEMBERS = 500;
/** More names than any environment may have policies; {@link policiesOrRefuse} counts the policies. */
export const MOST_POLICY_NAMES = 100;

/** Fields that PUT and PATCH have in common (wire environments §2.2, §2.5). Absent or null leaves what is there. */
export const settingsFields = {
  include_scaling: z.boolean().nullish().meta({ deprecated: true, description: 'Ignored' }),
  included_environments: z.array(z.string()).max(MOST_MEMBERS).nullish().meta({
    description: 'Names of physical environments that a logical one includes from now on',
  }),
  policies: z.array(z.string()).max(MOST_POLICY_NAMES).nullish().meta({
    description: 'Names of the policies that are attached from now on',
  }),
};

/**
 * The members that names stand for, each once, in the order given; undefined = the request does not say.
 * @throws ApiError 400 for members of a physical environment, and on each name that is no physical environment's
 * (wire environments §13 row 8; semantics §5.9)
 */
export async function membersOrRefuse(
  table: Table,
  org: Organization,
  kind: EnvironmentKind,
  names: readonly string[] | null | undefined,
): Promise<EnvironmentId[] | undefined> {
  if (names == null) return undefined;
  if (kind !== 'logical') {
    if (names.length === 0) return undefined;
    throw invalidField('included_environments', 'Only a logical environment includes others', names);
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

/** Why a logical environment cannot become a member. */
export const logicalMember = (name: string): string =>
  `Environment named '${shownInput(name)}' is logical: only physical environments can be included`;

/**
 * The ids of policies that names stand for, each once and ascending; undefined = the request does not say.
 * @throws ApiError 404 for the first name that no policy has, 400 for more than an environment may have
 */
export async function policiesOrRefuse(
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
 * The members after one transaction on the way from some to others, which are reached at once unless more than `most`
 * join and leave together.
 */
export function membersTowards(
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
