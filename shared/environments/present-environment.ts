import type { Objects } from '#shared/bodies/objects.ts';
import type { Organization } from '#shared/http/endpoint.ts';
import type { Table } from '#shared/table/table.ts';
import type { EnvironmentHead } from './records/environment-records.ts';
import { type Environment, findEnvironment, readEnvironmentByName } from './records/environments.ts';
import { archivedEnvironment, unknownEnvironment } from './rules/sentences.ts';

/**
 * An environment that is there, by its present name or an alias.
 * @throws ApiError 404 where there is none, and in other words where it is archived (wire environments §12)
 */
export const presentEnvironment = async (table: Table, org: Organization, name: string): Promise<EnvironmentHead> =>
  presentOr(await findEnvironment(table, org.id, name), org, name);

/** Everything of an environment that is there. @throws ApiError 404, as {@link presentEnvironment} */
export async function presentEnvironmentRecord(
  table: Table,
  objects: Objects,
  org: Organization,
  name: string,
): Promise<Environment> {
  const environment = await readEnvironmentByName(table, objects, org.id, name);
  if (!environment) throw unknownEnvironment({ env: name, org: org.name });
  presentOr(environment.head, org, name);
  return environment;
}

/** What was found under a name, if it is there. @throws ApiError 404, as {@link presentEnvironment} */
export function presentOr(head: EnvironmentHead | null, org: Organization, name: string): EnvironmentHead {
  if (!head) throw unknownEnvironment({ env: name, org: org.name });
  if (head.archived !== null) throw archivedEnvironment({ env: name, org: org.name });
  return head;
}
