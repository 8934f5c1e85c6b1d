import type { ExportRecord } from '../records/exports.ts';
import type { PackageScope } from '../rules/package-scope.ts';

/** The record of an archive that is a package. */
export type StartedPackage = ExportRecord & { scope: PackageScope };

export const isPackage = (record: ExportRecord): record is StartedPackage => record.scope !== undefined;
