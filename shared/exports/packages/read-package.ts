import { erasureWords } from '#shared/bodies/erasure.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { readExport } from '../records/exports.ts';
import { archiveName, isKept, isPinned } from '../rules/life-of-an-export.ts';
import { packageErased, packageNotFound } from '../rules/sentences.ts';
import { isPackage, type StartedPackage } from './started-package.ts';

/**
 * Reads a package and signs the address of its archive (rules/exports.md#download-of-a-package).
 *
 * @returns `address` is null until the package is done
 * @throws ServiceError `not-found` if there is no such package, `gone` if an erasure removed it
 */
export async function getPackage(
  { table, objects, clock }: Stores,
  org: Pick<Organization, 'id'>,
  id: string,
): Promise<{ record: StartedPackage; address: string | null }> {
  const record = await readExport(table, org.id, id, 'package');
  if (!record || !isPackage(record) || !isKept(record, clock.now())) throw packageNotFound();
  if (record.erased) throw packageErased(erasureWords(record.erased));
  const isDone = record.state === 'done' && isPinned(record);
  const address = isDone ? await objects.presignExport(org.id, record.id, `${archiveName(record)}.tar`) : null;
  return { record, address };
}
