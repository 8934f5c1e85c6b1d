import * as z from 'zod';
import { type Id, OrganizationId, storedId } from '#shared/base/ids.ts';
import type { Release } from '#shared/base/release.ts';
import { again } from '#shared/base/retry.ts';
import { type Duration, type Micros, plus } from '#shared/base/time.ts';
import type { Erasure } from '#shared/bodies/erasure.ts';
import { absent, below, change, different, either, equal, onlyIf } from '#shared/table/expressions.ts';
import { type Item, putIfAbsent, type Table, type Write, withRequest } from '#shared/table/table.ts';
import { expiryOf } from '../rules/life-of-an-export.ts';
import { type ArchiveKind, archiveKey } from './archive-keys.ts';
import { type ExportProgress, type ExportRecord, kindOf, type PinnedLog, readExport } from './exports.ts';
import {
  exportsErasureKey,
  latestExportKey,
  latestPackageKey,
  runningExportKey,
  runningExports,
  runningPackageKey,
  runningPackages,
} from './keys.ts';

/** The sweep skips an export for this long after its start, because its message is probably on the way. */
const SWEPT_AFTER: Duration = 60_000_000;

type Started = Pick<ExportRecord, 'id' | 'started' | 'scope'>;

const runningKey = (org: OrganizationId, { id, started, scope }: Started) =>
  (scope ? runningPackageKey : runningExportKey)(plus(started, SWEPT_AFTER), org, id);

const recordKey = (org: OrganizationId, record: Pick<ExportRecord, 'id' | 'scope'>) =>
  archiveKey(org, { kind: kindOf(record), id: record.id });

const newRecordWrites = (org: OrganizationId, record: ExportRecord): Write<'again'>[] => [
  withRequest(putIfAbsent({ ...recordKey(org, record), v: 1, ttl: ttlOf(record), ...record })),
  { put: { ...runningKey(org, record), v: 1, org, id: record.id } },
];

const ttlOf = (record: ExportRecord): number => Math.ceil(expiryOf(record) / 1e6);

/**
 * Returns the writes that start an export.
 * @param latest id of the export that was started last and does not run; null if there was none
 * @returns writes with the outcome `again` if another export was started since `latest` was read
 */
export const newExportWrites = (org: OrganizationId, record: ExportRecord, latest: Id | null): Write<'again'>[] => [
  ...newRecordWrites(org, record),
  latestWrite({ ...latestExportKey(org), v: 1, id: record.id }, latest),
];

/**
 * Returns the writes that start a package.
 * @param scope SHA-256 of what the package is about, in hex
 * @param latest as for {@link newExportWrites}, of the packages about the same
 */
export const newPackageWrites = (
  org: OrganizationId,
  record: ExportRecord,
  scope: string,
  latest: Id | null,
): Write<'again'>[] => [
  ...newRecordWrites(org, record),
  latestWrite({ ...latestPackageKey(org, scope), v: 1, ttl: ttlOf(record), id: record.id }, latest),
];

const latestWrite = (put: Item & { id: Id }, latest: Id | null): Write<'again'> => ({
  put,
  ...onlyIf(latest === null ? absent() : equal({ id: latest })),
  refused: again,
});

/** The reservation of an export for one worker. The worker chooses the owner. */
export interface Lease {
  org: OrganizationId;
  kind: ArchiveKind;
  id: Id;
  owner: string;
}

/** Reserves an export for one worker. @returns false if another worker has reserved it, or if it is finished */
export const takeLease = (
  table: Table,
  { org, owner, ...archive }: Lease,
  until: Micros,
  now: Micros,
): Promise<boolean> =>
  table.update(
    archiveKey(org, archive),
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

const updateAsOwner = (
  table: Table,
  { org, owner, ...archive }: Lease,
  set: Record<string, unknown>,
): Promise<boolean> => table.update(archiveKey(org, archive), change({ set }, equal({ owner })));

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
  record: Started,
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
      update: recordKey(org, record),
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
    update: recordKey(org, record),
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

/** Reads exports and packages that were started more than a minute ago and are not finished, the oldest of each kind first. */
export async function listRunningExports(
  table: Table,
  now: Micros,
  limit: number,
): Promise<{ org: OrganizationId; kind: ArchiveKind; id: Id; record: ExportRecord | null }[]> {
  const first = storedId<OrganizationId>('');
  const [exports, packages] = await Promise.all([
    table.query({ pk: runningExports, to: runningExportKey(now, first, '').sk, limit }),
    table.query({ pk: runningPackages, to: runningPackageKey(now, first, '').sk, limit }),
  ]);
  const read = (kind: ArchiveKind) => async (item: Item) => {
    const { org, id } = RunningItem.parse(item);
    return { org, kind, id, record: await readExport(table, org, id, kind) };
  };
  return Promise.all([...exports.map(read('export')), ...packages.map(read('package'))]);
}
