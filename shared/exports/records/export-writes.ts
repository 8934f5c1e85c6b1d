import * as z from 'zod';
import { type Id, OrganizationId, storedId } from '#shared/base/ids.ts';
import type { Release } from '#shared/base/release.ts';
import { again } from '#shared/base/retry.ts';
import { type Duration, type Micros, plus } from '#shared/base/time.ts';
import type { Erasure } from '#shared/bodies/erasure.ts';
import { absent, below, change, different, either, equal, onlyIf } from '#shared/table/expressions.ts';
import { putIfAbsent, type Table, type Write } from '#shared/table/table.ts';
import { expiryOf } from '../rules/life-of-an-export.ts';
import { type ExportProgress, type ExportRecord, type PinnedLog, readExport } from './exports.ts';
import { exportKey, exportsErasureKey, latestExportKey, runningExportKey, runningExports } from './keys.ts';

/** The sweep skips an export for this long after its start, because its message is probably on the way. */
const SWEPT_AFTER: Duration = 60_000_000;

const runningKey = (org: OrganizationId, { id, started }: Pick<ExportRecord, 'id' | 'started'>) =>
  runningExportKey(plus(started, SWEPT_AFTER), org, id);

/**
 * Returns the writes that start an export.
 * @param latest id of the export that was started last and does not run; null if there was none
 * @returns writes with the outcome `again` if another export was started since `latest` was read
 */
export const newExportWrites = (org: OrganizationId, record: ExportRecord, latest: Id | null): Write<'again'>[] => [
  putIfAbsent({
    ...exportKey(org, record.id),
    v: 1,
    ttl: Math.ceil(expiryOf(record) / 1e6),
    ...record,
  }),
  {
    put: { ...latestExportKey(org), v: 1, id: record.id },
    ...onlyIf(latest === null ? absent() : equal({ id: latest })),
    refused: again,
  },
  { put: { ...runningKey(org, record), v: 1, org, id: record.id } },
];

/** The reservation of an export for one worker. The worker chooses the owner. */
export interface Lease {
  org: OrganizationId;
  id: Id;
  owner: string;
}

/** Reserves an export for one worker. @returns false if another worker has reserved it, or if it is finished */
export const takeLease = (table: Table, { org, id, owner }: Lease, until: Micros, now: Micros): Promise<boolean> =>
  table.update(
    exportKey(org, id),
    change(
      { set: { owner, leased: until }, add: { attempts: 1 } },
      equal({ state: 'running' }),
      below({ leased: now }),
    ),
  );

/** Stores the checkpoint that an export is pinned to, and the release that pins it. @returns false as {@link storeUpload} */
export const storePinned = (
  table: Table,
  lease: Lease,
  pinned: { log: PinnedLog; release: Release },
): Promise<boolean> => updateAsOwner(table, lease, pinned);

/**
 * Stores the id of the upload before its first part, so that no part belongs to an upload that nobody knows.
 * @returns false if another worker has reserved the export since, or an erasure has removed it
 */
export const storeUpload = (table: Table, lease: Lease, upload: string): Promise<boolean> =>
  updateAsOwner(table, lease, { 'progress.upload': upload });

/** Stores the progress after a step. @returns false as {@link storeUpload} */
export const storeProgress = (table: Table, lease: Lease, progress: ExportProgress): Promise<boolean> =>
  updateAsOwner(table, lease, { progress, attempts: 0 });

/** Lets any worker make the next step. The call of the owner does not count among those that finished no step. */
export const releaseLease = (table: Table, lease: Lease): Promise<boolean> =>
  updateAsOwner(table, lease, { leased: 0, attempts: 0 });

const updateAsOwner = (table: Table, { org, id, owner }: Lease, set: Record<string, unknown>): Promise<boolean> =>
  table.update(exportKey(org, id), change({ set }, equal({ owner })));

/**
 * Ends an export that still runs.
 *
 * @param end `sha256` of the finished archive in hex, or the `problem` that made the export fail, as a sentence
 * @returns `ended` if the export does not run any more. `erasing`: an erasure began after the start, so the archive can hold one
 *   record from before and another from after it. The erasure will remove the export (rules/erasure.md#erased-exports)
 */
export const finishExport = (
  table: Table,
  org: OrganizationId,
  record: Pick<ExportRecord, 'id' | 'started'>,
  end: { sha256: string } | { problem: string },
  now: Micros,
): Promise<'done' | 'ended' | 'erasing'> =>
  table.transact<'ended' | 'erasing'>([
    ...('sha256' in end
      ? [
          {
            check: exportsErasureKey(org),
            ...onlyIf(either(absent(), below({ at: record.started }))),
            refused: () => 'erasing' as const,
          },
        ]
      : []),
    {
      update: exportKey(org, record.id),
      ...change(
        {
          set: {
            state: 'sha256' in end ? 'done' : 'failed',
            finished: now,
            sha256: 'sha256' in end ? end.sha256 : null,
            problem: 'problem' in end ? end.problem : null,
          },
        },
        equal({ state: 'running' }),
      ),
      refused: () => 'ended' as const,
    },
    { remove: runningKey(org, record) },
  ]);

/**
 * Returns the writes that say that an erasure removes an export. Its worker has it no more, and loses the states of digests,
 * which hold the last bytes of the archive.
 * @returns writes with the outcome `again` if another erasure was first
 */
export const eraseExportWrites = (org: OrganizationId, record: ExportRecord, erased: Erasure): Write<'again'>[] => [
  {
    update: exportKey(org, record.id),
    ...change(
      {
        set: {
          state: 'erased',
          erased,
          finished: record.finished ?? erased.at,
          owner: null,
          leased: 0,
          'progress.hash': null,
          'progress.manifestHash': null,
        },
      },
      different({ state: 'erased' }),
    ),
    refused: again,
  },
  { remove: runningKey(org, record) },
];

const RunningItem = z.object({ sk: z.string(), org: OrganizationId, id: z.string() });

/** Reads exports that were started more than a minute ago and are not finished, the oldest first. */
export async function listRunningExports(
  table: Table,
  now: Micros,
  limit: number,
): Promise<{ org: OrganizationId; id: Id; record: ExportRecord | null }[]> {
  const items = await table.query({ pk: runningExports, to: runningExportKey(now, storedId(''), '').sk, limit });
  return Promise.all(
    items.map(async (item) => {
      const { org, id } = RunningItem.parse(item);
      return { org, id, record: await readExport(table, org, id) };
    }),
  );
}
