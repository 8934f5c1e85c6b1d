import type { OrganizationId } from '#shared/base/ids.ts';
import type { Key, PartitionKey } from '#shared/table/items.ts';
import { directory, family, keyIn } from '#shared/table/keys.ts';

/** How far the sweeps have checked one list of an organization, by the name of the list. */
export const positionKey = (org: OrganizationId, name: string): Key => keyIn(family(org, 'RELAYED'), name);

/** Organizations in which something happened that the sweeps have to check, in this many partitions. */
export const ACTIVE_SHARDS = 4;
export const activePartition = (shard: number): PartitionKey => directory('@ACTIVE', String(shard));
export const activeKey = (org: OrganizationId): Key =>
  keyIn(activePartition(Number.parseInt(org.slice(-1), 16) % ACTIVE_SHARDS), org);
/** At which organization a sweep resumes, by the name of the sweep. */
export const sweepPositionKey = (sweep: string): Key => keyIn(directory('@SWEEPS'), sweep);
/** Items of which the relay could not handle the record, by the SHA-256 of their key in hex. */
export const setAsideList = directory('@ASIDE');
export const setAsideKey = (digest: string): Key => keyIn(setAsideList, digest);
