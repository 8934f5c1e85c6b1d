import { formatOf } from './bag.ts';
import { type ExportOptions, verifyFiles } from './export.ts';
import { openExport } from './export-files.ts';
import { verifyPackage } from './package.ts';
import type { Verified } from './scope.ts';

/**
 * Verifies an export or a package of evidence. `bag-info.txt` says which of both it is (rules/verification.md#package).
 *
 * @throws Fault that names the first fault
 */
export async function verifyArchive(path: string, options: ExportOptions): Promise<Verified> {
  const files = await openExport(path);
  try {
    const isPackage = (await formatOf(files, 'Package-Format')) !== undefined;
    return await (isPackage ? verifyPackage(files, options) : verifyFiles(files, options));
  } finally {
    await files.close();
  }
}
