import type { EnvironmentName } from '#shared/base/names.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import type { Organization } from '#shared/callers/caller.ts';
import type { Table } from '#shared/table/table.ts';
import type { EnvironmentHead } from './records/environment-records.ts';
import { findEnvironment, readEnvironmentByName } from './records/environments.ts';
import { archivedEnvironment, unknownEnvironment } from './rules/sentences.ts';

/**
 * Finds an environment by its present name or an alias.
 * @throws ServiceError `not-found` if it does not exist, and the same kind with another sentence if it is archived (rules/environments.md#names)
 */
export const presentEnvironment = async (
  table: Table,
  org: Organization,
  name: EnvironmentName,
): Promise<EnvironmentHead> => requirePresent(await findEnvironment(table, org.id, name), org, name);

/**
 * Reads the whole record of an environment by its present name or an alias.
 * @throws ServiceError `not-found`, as {@link presentEnvironment}
 */
export async function presentEnvironmentRecord(
  table: Table,
  objects: Objects,
  org: Organization,
  name: EnvironmentName,
) {
  const environment = await readEnvironmentByName(table, objects, org.id, name);
  if (!environment) throw unknownEnvironment({ env: name, org: org.name });
  requirePresent(environment.head, org, name);
  return environment;
}

/**
 * Returns the given head unless it is null or archived.
 * @throws ServiceError `not-found`, as {@link presentEnvironment}
 */
export function requirePresent(
  head: EnvironmentHead | null,
  org: Pick<Organization, 'name'>,
  name: EnvironmentName,
): EnvironmentHead {
  if (!head) throw unknownEnvironment({ env: name, org: org.name });
  if (head.archived !== null) throw archivedEnvironment({ env: name, org: org.name });
  return head;
}
