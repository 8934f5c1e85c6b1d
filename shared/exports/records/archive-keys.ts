import { type Id, type OrganizationId, storedId } from '#shared/base/ids.ts';
import type { Key, PartitionKey } from '#shared/table/items.ts';
import { exportKey, exportPartition, packageKey, packagePartition } from './keys.ts';

/** Which kind of archive a record is about. Both kinds are made by the same steps. */
export type ArchiveKind = 'export' | 'package';

/** Reads organization and kind from the partition of an archive's record; null for every other partition key. */
export const readArchivePartition = (pk: PartitionKey): { org: OrganizationId; kind: ArchiveKind } | null => {
  const [org = '', name, ...rest] = pk.split('#');
  if (rest.length > 0 || (name !== 'EXPORT' && name !== 'PACKAGE')) return null;
  return { org: storedId<OrganizationId>(org), kind: name === 'EXPORT' ? 'export' : 'package' };
};

export const archivePartition = (org: OrganizationId, kind: ArchiveKind): PartitionKey =>
  kind === 'export' ? exportPartition(org) : packagePartition(org);
export const archiveKey = (org: OrganizationId, { kind, id }: { kind: ArchiveKind; id: Id }): Key =>
  kind === 'export' ? exportKey(org, id) : packageKey(org, id);
