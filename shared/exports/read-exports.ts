import { erasureWords } from '#shared/bodies/erasure.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import type { Uses } from '#shared/table/uses.ts';
import { type ExportRecord, readExport, readExports } from './records/exports.ts';
import { archiveName, isKept, isPinned } from './rules/life-of-an-export.ts';
import { exportErased, exportNotFound } from './rules/sentences.ts';

export type { ExportRecord };

/** What reading an export uses: the address of an archive has the rights of the function that signs it. */
export const GET_EXPORT: Uses = { bucket: ['exports:read'] };

/** Lists the newest exports of the last seven days, newest first (rules/exports.md#kept). */
export async function listExports(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  org: Organization,
): Promise<ExportRecord[]> {
  const exports = await readExports(table, org.id);
  const now = clock.now();
  return exports.filter((one) => isKept(one, now));
}

/**
 * Reads an export and signs the address of its archive (rules/exports.md#download).
 *
 * @returns `address` is null until the export is done
 * @throws ServiceError `not-found` if there is no such export, `gone` if an erasure removed it
 */
export async function getExport(
  { table, objects, clock }: Stores,
  org: Pick<Organization, 'id'>,
  id: string,
): Promise<{ record: ExportRecord; address: string | null }> {
  const record = await readExport(table, org.id, id);
  if (!record || !isKept(record, clock.now())) throw exportNotFound();
  if (record.erased) throw exportErased(erasureWords(record.erased));
  const isDone = record.state === 'done' && isPinned(record);
  const address = isDone ? await objects.presignExport(org.id, record.id, `${archiveName(record)}.tar`) : null;
  return { record, address };
}
