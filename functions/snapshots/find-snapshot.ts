import type { EnvironmentId } from '#shared/base/ids.ts';
import { presentOr } from '#shared/environments/present-environment.ts';
import type { EnvironmentHead } from '#shared/environments/records/environment-records.ts';
import { readBesideEnvironment } from '#shared/environments/records/environments.ts';
import {
  historyOf,
  readNewestParts,
  readParts,
  type SnapshotParts,
} from '#shared/environments/records/snapshot-parts.ts';
import { resolveExpression, type SnapshotExpression } from '#shared/environments/rules/expressions.ts';
import type { Organization } from '#shared/http/endpoint.ts';
import type { Services } from '#shared/http/services.ts';

export interface FoundSnapshot {
  head: EnvironmentHead;
  parts: SnapshotParts;
}

/**
 * The snapshot that an expression means in an environment. A number, and the newest one, are read beside the
 * environment's head; what else only the head can say comes after it (design §5).
 * @param env name of the environment, as the caller wrote it
 * @throws ApiError 404 for an environment that is not there, and for a snapshot that it does not have
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
  const read = await readBesideEnvironment(table, org.id, env, early);
  const head = presentOr(read?.head ?? null, org, env);
  const index = await resolveExpression(expression, { org: org.name, env, ...historyOf(table, org.id, head) });
  const parts = read?.beside?.summary.index === index ? read.beside : await readParts(table, org.id, head.id, index);
  if (!parts) throw new Error(`Environment ${head.id} has no snapshot ${index} of ${head.index}`);
  return { head, parts };
}
