import type { Id, OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Key, PartitionKey } from '#shared/table/items.ts';
import { directory, family, instantSequence, keyIn } from '#shared/table/keys.ts';

export const exportPartition = (org: OrganizationId): PartitionKey => family(org, 'EXPORT');
/** State and progress of an export. Ids sort by time. */
export const exportKey = (org: OrganizationId, id: Id): Key => keyIn(exportPartition(org), id);
export const latestExportKey = (org: OrganizationId): Key => keyIn(family(org, 'EXPORT', 'LATEST'), 'LATEST');
/** When and why texts of the organization were erased, while exports that can hold them are still to be removed. */
export const exportsErasureKey = (org: OrganizationId): Key => keyIn(family(org, 'ERASURE', 'EXPORTS'), 'EXPORTS');
export const packagePartition = (org: OrganizationId): PartitionKey => family(org, 'PACKAGE');
/** State and progress of a package of evidence. Ids sort by time. */
export const packageKey = (org: OrganizationId, id: Id): Key => keyIn(packagePartition(org), id);
/** Which package about something was started last. @param scope SHA-256 of what the package is about, in hex */
export const latestPackageKey = (org: OrganizationId, scope: string): Key =>
  keyIn(family(org, 'PACKAGE', 'LATEST'), scope);

/** The packages of all organizations that are not finished, by the time from which the sweep picks them up. */
export const runningPackages = directory('@PACKAGING');
export const runningPackageKey = (due: Micros, org: OrganizationId, id: Id): Key =>
  keyIn(runningPackages, [instantSequence(due), org, id].join('#'));
/** The exports of all organizations that are not finished, by the time from which the sweep picks them up. */
export const runningExports = directory('@EXPORTING');
export const runningExportKey = (due: Micros, org: OrganizationId, id: Id): Key =>
  keyIn(runningExports, [instantSequence(due), org, id].join('#'));
