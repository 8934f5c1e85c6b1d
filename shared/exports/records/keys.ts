import { type Id, type OrganizationId, storedId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { family, instantSequence } from '#shared/table/keys.ts';
import type { Key } from '#shared/table/table.ts';

/** Keys of exports. `access-patterns.ts` lists the questions that they answer. */

export const exportPartition = (org: OrganizationId): string => family(org, 'EXPORT');
/** State and progress of an export. Ids sort by time. */
export const exportKey = (org: OrganizationId, id: Id): Key => ({ pk: exportPartition(org), sk: id });
/** The export that was started last. */
export const latestExportKey = (org: OrganizationId): Key => ({ pk: family(org, 'EXPORT', 'LATEST'), sk: 'LATEST' });
/** When and why texts of the organization were erased, while exports that can hold them are still to be removed. */
export const exportsErasureKey = (org: OrganizationId): Key => ({
  pk: family(org, 'ERASURE', 'EXPORTS'),
  sk: 'EXPORTS',
});
/** Reads the organization from an {@link exportPartition}; null for every other partition key. */
export const readExportPartition = (pk: string): OrganizationId | null => {
  const [org = '', name, ...rest] = pk.split('#');
  return name === 'EXPORT' && rest.length === 0 ? storedId<OrganizationId>(org) : null;
};
/** The exports of all organizations that are not finished, by the time from which the sweep picks them up. */
export const runningExports = '@EXPORTING';
export const runningExportKey = (due: Micros, org: OrganizationId, id: Id): Key => ({
  pk: runningExports,
  sk: [instantSequence(due), org, id].join('#'),
});
