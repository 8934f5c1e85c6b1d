import type { EnvironmentName } from '#shared/base/names.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { flowNotFound } from '#shared/evidence/rules/sentences.ts';
import { findEnvironment } from '../records/environments.ts';
import { historyOf } from '../records/snapshot-parts.ts';
import { readSnapshotRange, type Snapshot } from '../records/snapshots.ts';
import { pageOfRange, rangeSize, resolveInterval } from '../rules/interval.ts';
import { unknownEnvironment } from '../rules/sentences.ts';

export interface ListedSnapshot extends Snapshot {
  /** When the next snapshot began; null for the newest, which has not ended. */
  until: Micros | null;
}

interface SnapshotSelection {
  /** An interval of snapshots; all without it. */
  interval?: string | undefined;
  page: number;
  perPage: number;
  /** Whether the oldest comes first. */
  reverse: boolean;
}

/**
 * Lists snapshots of an environment (rules/environments.md#snapshot-list).
 *
 * @param name present name or alias
 * @returns the snapshots of the page, how many are selected in all, and the instant of the read
 * @throws ServiceError `not-found` if the environment does not exist or is archived, `invalid` for a wrong interval
 */
export async function listSnapshots(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  org: Organization,
  name: EnvironmentName,
  { interval, page, perPage, reverse }: SnapshotSelection,
): Promise<{ total: number; snapshots: ListedSnapshot[]; now: Micros }> {
  const now = clock.now();
  const head = await findEnvironment(table, org.id, name);
  if (!head || head.archived !== null) {
    const { message: detail } = unknownEnvironment({ env: name, org: org.name });
    throw flowNotFound({}, { detail });
  }
  const range = await resolveInterval(interval, now, historyOf(table, org.id, head));
  const { from, to } = pageOfRange(range, { page, perPage, reverse });
  const last = Math.min(to + 1, head.index);
  // The page's newest snapshot ends when the next one begins, so that one is read as well.
  const read = from > to ? [] : await readSnapshotRange(table, org.id, head.id, { from, to: last });
  const shown = read
    .map((snapshot, i): ListedSnapshot => ({ ...snapshot, until: read[i + 1]?.at ?? null }))
    .filter(({ index }) => index <= to);
  return { total: rangeSize(range), snapshots: reverse ? shown : shown.reverse(), now };
}
