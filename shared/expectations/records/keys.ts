import type { FlowId, Id, OrganizationId } from '#shared/base/ids.ts';
import type { TrailName } from '#shared/base/names.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Key, PartitionKey } from '#shared/table/items.ts';
import { directory, family, instantSequence, keyIn, sequence } from '#shared/table/keys.ts';

/** Keys of expectations and gaps. `access-patterns.ts` lists the questions that they answer. */

/** The expectations of an organization, by name. */
export const expectationList = (org: OrganizationId): PartitionKey => family(org, 'EXPECTATION');
export const expectationKey = (org: OrganizationId, name: string): Key => keyIn(expectationList(org), name);

/** All versions of the expectations of an organization. */
export const expectationVersions = (org: OrganizationId): PartitionKey => family(org, 'EXPECTATION', 'VERSIONS');
/** The first part keeps versions apart from expectations in exports: no name has a `#`. */
export const expectationVersionKey = (org: OrganizationId, name: string, version: number): Key =>
  keyIn(expectationVersions(org), `V#${name}#${sequence(version)}`);

/** The gaps of an organization, by the instant at which they began. */
export const gapList = (org: OrganizationId): PartitionKey => family(org, 'GAP');
export const gapKey = (org: OrganizationId, id: Id): Key => keyIn(gapList(org), id);

/** The gaps that have not ended, by subject. An expectation has at most one for each subject. */
export const ongoingGaps = (org: OrganizationId): PartitionKey => family(org, 'ONGOING');
export const ongoingGapKey = (org: OrganizationId, subject: string, expectation: Id): Key =>
  keyIn(ongoingGaps(org), `${subject}#${expectation}`);

/** Organizations with expectations, in this many partitions. */
export const EXPECTING_SHARDS = 4;
export const expectingPartition = (shard: number): PartitionKey => directory('@EXPECTING', String(shard));
export const expectingKey = (org: OrganizationId): Key =>
  keyIn(expectingPartition(Number.parseInt(org.slice(-1), 16) % EXPECTING_SHARDS), org);

/** The minutes in which the service swept. */
export const beatList = directory('@BEAT');
export const beatKey = (minute: Micros): Key => keyIn(beatList, instantSequence(minute));
/** The times between beats in which minutes are missing. */
export const unknownTimes = directory('@BEAT', 'UNKNOWN');
export const unknownTimeKey = (from: Micros): Key => keyIn(unknownTimes, instantSequence(from));

/** What arrives in flows again and again: trails that begin (`BEGUN`), and compliant attestations by name, type and control. */
const ARRIVALS = { begun: 'BEGUN', name: 'NAME', type: 'TYPE', control: 'CONTROL' } as const;
/** The latest arrival of one sort in each flow. `value` is the name, the type or the control; empty for trails. */
export const arrivalPartition = (org: OrganizationId, sort: keyof typeof ARRIVALS, value: string): PartitionKey =>
  family(org, 'ARRIVED', ARRIVALS[sort], value);
export const arrivalKey = (org: OrganizationId, sort: keyof typeof ARRIVALS, value: string, flow: FlowId): Key =>
  keyIn(arrivalPartition(org, sort, value), flow);
/** When a trail was compliant first. */
export const completionKey = (org: OrganizationId, flow: FlowId, trail: TrailName): Key =>
  keyIn(family(org, 'ARRIVED', 'COMPLIANT', flow), trail);
