import { type Id, type OrganizationId, storedId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Key, PartitionKey } from '#shared/table/items.ts';
import { directory, family, instantSequence, keyIn } from '#shared/table/keys.ts';

export const exportPartition = (org: OrganizationId): PartitionKey => family(org, 'EXPORT');
/** State and progress of an export. Ids sort by time. */
export const exportKey = (org: OrganizationId, id: Id): Key => keyIn(exportPartition(org), id);
export const latestExportKey = (org: OrganizationId): Key => keyIn(family(org, 'EXPORT', 'LATEST'), 'LATEST');
/** When and why texts of the organization were erased, while exports that can hold them are still to be removed. */
export const exportsErasureKey = (org: OrganizationId): Key => keyIn(family(org, 'ERASURE', 'EXPORTS'), 'EXPORTS');
/** Reads the organization from an {@link exportPartition}; null for every other partition key. */
export const readExportPartition = (pk: PartitionKey): OrganizationId | null => {
  const [org = '', name, ...rest] = pk.split('#');
  return name === 'EXPORT' && rest.length === 0 ? storedId<OrganizationId>(org) : null;
};
/** The exports of all organizations that are not finished, by the time from which the sweep picks them up. */
export const runningExports = directory('@EXPORTING');
export const runningExportKey = (due: Micros, org: OrganizationId, id: Id): Key =>
  keyIn(runningExports, [instantSequence(due), org, id].join('#'));
