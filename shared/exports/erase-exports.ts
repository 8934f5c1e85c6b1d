import type { OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import type { Micros } from '#shared/base/time.ts';
import { Erasure } from '#shared/bodies/erasure.ts';
import type { ExportFiles, ExportVersion } from '#shared/bodies/export-files.ts';
import { auditWrite, OPERATOR } from '#shared/organizations/records/audit.ts';
import { equal, onlyIf } from '#shared/table/expressions.ts';
import type { Table, Write } from '#shared/table/table.ts';
import { eraseExportWrites } from './records/export-writes.ts';
import { type ExportRecord, readAllExports } from './records/exports.ts';
import { exportsErasureKey } from './records/keys.ts';
import type { ExporterServices } from './services.ts';

/** Exports of one transaction: each has two writes, and there is one audit entry. */
const EXPORTS_AT_ONCE = 40;
const REMOVED_AT_ONCE = 8;

/** What an erasure does with the files of exports. */
export type ErasableFiles = Pick<ExportFiles, 'versions' | 'remove' | 'discard'>;

export interface RemovedExports {
  /** How many exports this call took away from readers. */
  exports: number;
  /** Keys of objects that Object Lock keeps. */
  locked: string[];
}

/** Returns the write that notes that exports are to be removed, for the transaction that erases a text. */
export const exportsErasureWrite = (org: OrganizationId, erased: Erasure): Write => ({
  put: { ...exportsErasureKey(org), v: 1, ...erased },
});

/** Removes the note, unless a later erasure renewed it. */
const erasureDone = (org: OrganizationId, { at }: Erasure): Write<'renewed'> => ({
  remove: exportsErasureKey(org),
  ...onlyIf(equal({ at })),
  refused: () => 'renewed',
});

/**
 * Removes every export of an organization, finished or running, if an erasure has noted so (rules/erasure.md#erased-exports).
 * The texts must be gone from the table and from the bucket: an export that is started afterwards cannot read them.
 */
export async function eraseExports(
  { table, files, clock }: Pick<ExporterServices, 'table' | 'clock'> & { files: ErasableFiles },
  org: OrganizationId,
): Promise<RemovedExports> {
  const item = await table.get(exportsErasureKey(org));
  if (!item) return { exports: 0, locked: [] };
  const erased = Erasure.parse(item);
  const exports = await markErased(table, org, erased, clock.now());
  for (const record of await readAllExports(table, org)) {
    if (record.state === 'erased') await discardUpload(files, org, record);
  }
  // Records are read after the list of objects: the record of an export that starts now is older than its first object.
  const versions = await files.versions(org, null);
  const newer = (await readAllExports(table, org)).filter(({ state }) => state !== 'erased');
  const old = versions.filter((version) => newer.every(({ id }) => id !== version.id));
  const locked = await removeVersions(files, old);
  if (locked.length === 0) await table.write(erasureDone(org, erased));
  return { exports, locked };
}

/** @returns how many exports were marked */
async function markErased(table: Table, org: OrganizationId, erased: Erasure, now: Micros): Promise<number> {
  for (let marked = 0; ; ) {
    const left = (await readAllExports(table, org)).filter(({ state }) => state !== 'erased');
    const batch = left.slice(0, EXPORTS_AT_ONCE);
    if (batch.length === 0) return marked;
    const entry = auditWrite(
      org,
      { at: now, actor: OPERATOR },
      {
        kind: 'evidence.erased',
        subject: { type: 'exports', name: batch.length === 1 ? '1 export' : `${batch.length} exports` },
        after: { reason: erased.reason, exports: batch.length, ids: batch.map(({ id }) => id) },
      },
    );
    const writes = batch.flatMap((record) => eraseExportWrites(org, record, erased));
    // `again`: another erasure marked an export of the batch.
    if ((await table.transact<'again'>([...writes, entry])) === 'done') marked += batch.length;
  }
}

/**
 * Removes everything that one erased export stored. A worker that did not know of the erasure can have stored more after the
 * erasure removed the rest.
 */
export async function removeExport(files: ExportFiles, org: OrganizationId, record: ExportRecord): Promise<void> {
  await discardUpload(files, org, record);
  await removeVersions(files, await files.versions(org, record.id));
}

/** An upload without an archive cannot be completed any more, so it is discarded before the archive is looked for. */
async function discardUpload(files: ErasableFiles, org: OrganizationId, { id, progress }: ExportRecord): Promise<void> {
  if (progress.upload !== null) await files.discard(org, id, progress.upload);
}

/** @returns keys of versions that Object Lock keeps */
async function removeVersions(files: ErasableFiles, versions: readonly ExportVersion[]): Promise<string[]> {
  const kept = await inParallel(versions, REMOVED_AT_ONCE, async (one) => ((await files.remove(one)) ? [] : [one.key]));
  return [...new Set(kept.flat())];
}
