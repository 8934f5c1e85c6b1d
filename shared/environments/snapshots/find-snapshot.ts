import { ServiceError } from '#shared/base/errors.ts';
import type { EnvironmentId } from '#shared/base/ids.ts';
import type { EnvironmentName } from '#shared/base/names.ts';
import { RecordGone } from '#shared/base/proofs/record-gone.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { requirePresent } from '../present-environment.ts';
import type { EnvironmentHead } from '../records/environment-records.ts';
import { readWithEnvironment } from '../records/environments.ts';
import { historyOf, readNewestParts, readParts, type SnapshotParts } from '../records/snapshot-parts.ts';
import { snapshotOf } from '../records/snapshots.ts';
import { resolveExpression, type SnapshotExpression } from '../rules/expressions.ts';

export interface FoundSnapshot {
  head: EnvironmentHead;
  parts: SnapshotParts;
}

/**
 * Finds the snapshot of an environment that an expression means. A snapshot by number and the newest one are read in
 * parallel with the environment's head. The other forms need the head first (rules/environments.md#budgets).
 * @param env name of the environment, as the caller wrote it
 * @throws ServiceError `not-found` for an unknown or archived environment, and for a snapshot outside its history
 * @throws RecordGone if the snapshot, its content or the snapshot after it is missing
 */
export async function findSnapshot(
  { table }: Pick<Stores, 'table'>,
  org: Pick<Organization, 'id' | 'name'>,
  env: EnvironmentName,
  expression: SnapshotExpression,
): Promise<FoundSnapshot> {
  const { point } = expression;
  const readEarly = (id: EnvironmentId): Promise<SnapshotParts | null> => {
    if (point.kind === 'index') return readParts(table, org.id, id, point.index);
    return point.kind === 'behind' && point.behind === 0 ? readNewestParts(table, org.id, id) : Promise.resolve(null);
  };
  const read = await readWithEnvironment(table, org.id, env, readEarly);
  const head = requirePresent(read?.head ?? null, org, env);
  const index = await resolveExpression(expression, { org: org.name, env, ...historyOf(table, org.id, head) }).catch(
    (error: unknown) => {
      // A number that was never given has no entry in the log either, and gets this refusal.
      if (point.kind !== 'index' || point.index < 1 || !(error instanceof ServiceError)) throw error;
      throw new RecordGone(snapshotOf(head.id, point.index), { unlogged: error });
    },
  );
  const early = read?.beside?.summary.index === index ? read.beside : null;
  // The head can be newer than what was read beside it.
  const isCurrent = early !== null && (early.next !== null || index === head.index);
  const parts = isCurrent ? early : await readParts(table, org.id, head.id, index);
  if (!parts) throw new RecordGone(snapshotOf(head.id, index));
  if (parts.next === null && index < head.index) throw new RecordGone(snapshotOf(head.id, index + 1));
  return { head, parts };
}
