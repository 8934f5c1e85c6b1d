import type { EnvironmentId } from '#shared/base/ids.ts';
import type { Organization } from '#shared/http/endpoint.ts';
import type { Services } from '#shared/http/services.ts';
import { requirePresent } from '../present-environment.ts';
import type { EnvironmentHead } from '../records/environment-records.ts';
import { readWithEnvironment } from '../records/environments.ts';
import { historyOf, readNewestParts, readParts, type SnapshotParts } from '../records/snapshot-parts.ts';
import { resolveExpression, type SnapshotExpression } from '../rules/expressions.ts';

export interface FoundSnapshot {
  head: EnvironmentHead;
  parts: SnapshotParts;
}

/**
 * Finds the snapshot of an environment that an expression means. A snapshot by number and the newest one are read in
 * parallel with the environment's head. The other forms need the head first (rules/environments.md#budgets).
 * @param env name of the environment, as the caller wrote it
 * @throws ApiError 404 for an unknown or archived environment, and for a snapshot outside its history
 */
export async function findSnapshot(
  { table }: Pick<Services, 'table'>,
  org: Organization,
  env: string,
  expression: SnapshotExpression,
): Promise<FoundSnapshot> {
  const { point } = expression;
  const early = (id: EnvironmentId): Promise<SnapshotParts | null> => {
    if (point.kind === 'index') return readParts(table, org.id, id, point.index);
    return point.kind === 'behind' && point.behind === 0 ? readNewestParts(table, org.id, id) : Promise.resolve(null);
  };
  const read = await readWithEnvironment(table, org.id, env, early);
  const head = requirePresent(read?.head ?? null, org, env);
  const index = await resolveExpression(expression, { org: org.name, env, ...historyOf(table, org.id, head) });
  const parts = read?.beside?.summary.index === index ? read.beside : await readParts(table, org.id, head.id, index);
  if (!parts) throw new Error(`Snapshot ${index} of ${head.index} of the environment ${head.id} does not exist`);
  return { head, parts };
}
