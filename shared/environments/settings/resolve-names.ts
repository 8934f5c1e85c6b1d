import type { EnvironmentId, PolicyId } from '#shared/base/ids.ts';
import { invalidField, noErrors, refuseIfAny, shownInput } from '#shared/base/validation.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { findPolicies } from '#shared/policies/records/policies.ts';
import { unknownPolicy } from '#shared/policies/rules/sentences.ts';
import type { Table } from '#shared/table/table.ts';
import { refuseTooMany } from '../attached-policies.ts';
import { findEnvironments } from '../records/environments.ts';
import type { EnvironmentKind } from '../rules/environment-kinds.ts';
import { logicalMember, ONLY_LOGICAL } from '../rules/members.ts';
import { archivedEnvironment, unknownEnvironment } from '../rules/sentences.ts';

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
