import * as z from 'zod';
import type { EnvironmentId, FlowId, OrganizationId } from '#shared/base/ids.ts';
import { EPOCH, type Micros, StoredMicros } from '#shared/base/time.ts';
import { absent, either, onlyIf, unchanged } from '#shared/table/expressions.ts';
import { keyText, type Table, type Write } from '#shared/table/table.ts';
import { countDeployment, DeploymentCounts, dayOf } from '../rules/effects.ts';
import { deploymentsKey, expandedKey } from './keys.ts';
import { markUpdate } from './marks.ts';

/**
 * Progress of expanding an environment's snapshots, and the counts of deployments. Counting twice would be wrong, so the
 * transaction that moves the progress on writes the counts as well (rules/environments.md#effects-of-a-snapshot).
 */

const ExpandedItem = z.object({
  /** Number of the last snapshot that is expanded completely; 0 = none. */
  index: z.number(),
  /** How many events of the next snapshot are done. */
  done: z.number(),
  /** When the progress was stored. The sweep leaves environments with recent progress to the expander. */
  at: StoredMicros.default(EPOCH),
});
export type Expanded = z.infer<typeof ExpandedItem>;

const NOTHING: Expanded = { index: 0, done: 0, at: EPOCH };

export async function readExpanded(table: Table, org: OrganizationId, environment: EnvironmentId): Promise<Expanded> {
  const item = await table.get(expandedKey(org, environment));
  return item ? ExpandedItem.parse(item) : NOTHING;
}

/** Reads the progress of several environments, by id, in one batch. */
export async function readAllExpanded(table: Table, org: OrganizationId, environments: readonly EnvironmentId[]) {
  const found = await table.getMany(environments.map((id) => expandedKey(org, id)));
  return new Map(
    environments.map((id) => {
      const item = found.get(keyText(expandedKey(org, id)));
      return [id, item ? ExpandedItem.parse(item) : NOTHING];
    }),
  );
}

/** Replaces the progress on condition that it is still `from`. */
const progressWrite = <R>(
  org: OrganizationId,
  environment: EnvironmentId,
  from: Expanded,
  to: Expanded,
  moved: () => R,
): Write<R> => ({
  put: { ...expandedKey(org, environment), v: 1, ...to },
  // Before the first expansion there is no item.
  ...onlyIf(
    from.index === 0 && from.done === 0
      ? either(absent(), unchanged(from, 'index', 'done'))
      : unchanged(from, 'index', 'done'),
  ),
  refused: moved,
});

const moved = () => 'moved' as const;

/**
 * Stores how many events of the next snapshot are done.
 * @returns `moved` if another process has stored progress since `from` was read
 */
export const recordProgress = (
  table: Table,
  org: OrganizationId,
  environment: EnvironmentId,
  from: Expanded,
  to: Pick<Expanded, 'done' | 'at'>,
): Promise<'done' | 'moved'> => table.write(progressWrite(org, environment, from, { ...from, ...to }, moved));

/**
 * Finishes the expansion of the snapshot after `from`: one transaction moves the progress on, counts the deployments and
 * raises the environment's mark, so each of them happens exactly once. The mark is for evidence that came in before the
 * relay had recorded what runs: without it the next report would miss that evidence (rules/environments.md#marks).
 * @param starts one entry per artifact that started: the ids of the flows that have it
 * @param isReported whether the environment takes reports, so that marks matter
 * @param now the present instant
 * @returns `moved` if another process has stored progress since `from` was read
 */
export async function finishSnapshot(
  table: Table,
  org: OrganizationId,
  environment: EnvironmentId,
  from: Expanded,
  {
    at,
    starts,
    isReported,
    now,
  }: { at: Micros; starts: readonly (readonly FlowId[])[]; isReported: boolean; now: Micros },
): Promise<'done' | 'moved'> {
  const key = deploymentsKey(org, environment, dayOf(at));
  // Every writer of this item moves the progress in the same transaction. If the item changes after this read, the
  // condition on the progress fails.
  const item = starts.length > 0 ? await table.get(key) : undefined;
  const before = item ? DeploymentCounts.parse(item) : { counts: {}, all: 0 };
  const counted = starts.reduce(countDeployment, before);
  return table.transact<'moved'>([
    progressWrite(org, environment, from, { index: from.index + 1, done: 0, at: now }, moved),
    ...(starts.length > 0 ? [{ put: { ...key, v: 1, ...counted } }] : []),
    ...(isReported ? [markUpdate(org, environment)] : []),
  ]);
}
