import type { OrganizationId } from '#shared/base/ids.ts';
import { family } from '#shared/table/keys.ts';
import type { Key } from '#shared/table/table.ts';

/** How far the sweeps have checked one list of an organization, by the name of the list. */
export const positionKey = (org: OrganizationId, name: string): Key => ({ pk: family(org, 'RELAYED'), sk: name });

/** Organizations in which something happened that the sweeps have to check, in this many partitions. */
export const ACTIVE_SHARDS = 4;
export const activePartition = (shard: number): string => `@ACTIVE#${shard}`;
export const activeKey = (org: OrganizationId): Key => ({
  pk: activePartition(Number.parseInt(org.slice(-1), 16) % ACTIVE_SHARDS),
  sk: org,
});
/** At which organization a sweep resumes, by the name of the sweep. */
export const sweepPositionKey = (sweep: string): Key => ({ pk: '@SWEEPS', sk: sweep });
/** Items of which the relay could not handle the record, by the SHA-256 of their key in hex. */
export const setAsideList = '@ASIDE';
export const setAsideKey = (digest: string): Key => ({ pk: setAsideList, sk: digest });
