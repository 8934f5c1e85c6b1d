import {
  type EnvironmentId,
  type Fingerprint,
  type FlowId,
  type Id,
  type OrganizationId,
  storedId,
} from '#shared/base/ids.ts';
import type { EnvironmentName } from '#shared/base/names.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Key, PartitionKey } from '#shared/table/items.ts';
import { family, instantSequence, keyIn, sequence } from '#shared/table/keys.ts';

/** Makes the function for a partition of which each environment has one. */
const partitionOf =
  (name: string) =>
  (org: OrganizationId, environment: EnvironmentId): PartitionKey =>
    family(org, name, environment);

/** Makes the function for a key in such a partition. @param sortKey takes what else the key names */
const keyOf =
  <Rest extends unknown[]>(partition: ReturnType<typeof partitionOf>, sortKey: (...rest: Rest) => string) =>
  (org: OrganizationId, environment: EnvironmentId, ...rest: Rest): Key =>
    keyIn(partition(org, environment), sortKey(...rest));

export const environmentNameKey = (org: OrganizationId, name: EnvironmentName): Key =>
  keyIn(family(org, 'ENVNAME', name), 'NAME');
export const environmentPartition = partitionOf('ENV');
/**
 * The item that every report reads. It holds nothing that grows, since one read of it decides whether a report is
 * unchanged (rules/environments.md#unchanged-report).
 */
export const environmentHeadKey = keyOf(environmentPartition, () => 'HEAD');
/** The link from a member to a logical environment. */
export const environmentGroupKey = keyOf(environmentPartition, (logical: EnvironmentId) => `IN#${logical}`);

/**
 * What lists show of environments and reports do not need: description, tags and links. All environments share one
 * partition, so one Query reads the details of a whole list. An archived environment has its details in its own
 * partition (rules/environments.md#stored-items).
 */
export const environmentDetailsPartition = (org: OrganizationId): PartitionKey => family(org, 'ENV');
const detailsKey =
  (kind: string) =>
  (org: OrganizationId, environment: EnvironmentId): Key =>
    keyIn(environmentDetailsPartition(org), `${environment}#${kind}`);
export const environmentFactsKey = detailsKey('FACTS');
export const environmentTagsKey = detailsKey('TAGS');
/** Copy of the ids of policies and members that the head holds, for lists, which do not read heads. */
export const environmentLinksKey = detailsKey('LINKS');

// Snapshots of one environment: summaries by number, contents by number, numbers by time.

export const snapshotPartition = partitionOf('SNAPSHOT');
export const snapshotKey = keyOf(snapshotPartition, (index: number) => `S#${sequence(index)}`);
export const snapshotContentKey = keyOf(snapshotPartition, (index: number) => `C#${sequence(index)}`);
export const snapshotTimeKey = keyOf(snapshotPartition, (at: Micros) => `T#${instantSequence(at)}`);
/** A snapshot whose state differs from that of the snapshot before (rules/environments.md#state-changes-over-time). */
export const snapshotStateKey = keyOf(snapshotPartition, (at: Micros) => `V#${instantSequence(at)}`);

/** Reads organization, family and id from a partition key of one of {@link SUBJECT_FAMILIES}; null for other keys. */
export const readSubjectPartition = (pk: PartitionKey): { org: OrganizationId; family: string; subject: Id } | null => {
  const [org = '', name = '', subject, ...rest] = pk.split('#');
  return SUBJECT_FAMILIES.has(name) && subject !== undefined && rest.length === 0
    ? { org: storedId(org), family: name, subject }
    : null;
};
const SUBJECT_FAMILIES: ReadonlySet<string> = new Set(['SNAPSHOT', 'ENV', 'ALLOWED', 'FLOW']);

// Effects of snapshots, written by the relay

/** Progress of expanding an environment's snapshots. */
export const expandedKey = keyOf(partitionOf('EXPANDED'), () => 'HEAD');
/** Events of an environment under the numbers that snapshots reserved (rules/environments.md#events). */
export const environmentEventPartition = partitionOf('ENVEVENT');
export const environmentEventKey = keyOf(environmentEventPartition, (number: number) => sequence(number));
/** Copies of the events about artifacts that one repository made. */
export const repoEventPartition = (org: OrganizationId, environment: EnvironmentId, repo: Id): PartitionKey =>
  family(org, 'ENVEVENT', environment, repo);
export const repoEventKey = (org: OrganizationId, environment: EnvironmentId, repo: Id, number: number): Key =>
  keyIn(repoEventPartition(org, environment, repo), sequence(number));
/** Copies of the starts of known artifacts in all environments, by month (`202611`) and time (rules/environments.md#starts-by-time). */
export const startPartition = (org: OrganizationId, month: string): PartitionKey =>
  family(org, 'ENVEVENT', 'STARTS', month);
export const startKey = (org: OrganizationId, month: string, entry: Id): Key =>
  keyIn(startPartition(org, month), entry);
/** Where a fingerprint runs or ran: one item per environment, replaced only for a greater snapshot (rules/environments.md#running). */
export const runningPartition = (org: OrganizationId, fingerprint: Fingerprint): PartitionKey =>
  family(org, 'RUNNING', fingerprint);
export const runningKey = (org: OrganizationId, fingerprint: Fingerprint, environment: EnvironmentId): Key =>
  keyIn(runningPartition(org, fingerprint), environment);
/** When a fingerprint ran: one item per environment and snapshot that changed something about it (rules/environments.md#history-of-running). */
export const runningPastPartition = (org: OrganizationId, fingerprint: Fingerprint): PartitionKey =>
  family(org, 'RUNNING', 'PAST', fingerprint);
export const runningPastKey = (
  org: OrganizationId,
  fingerprint: Fingerprint,
  environment: EnvironmentId,
  at: Micros,
): Key => keyIn(runningPastPartition(org, fingerprint), `${environment}#${instantSequence(at)}`);
/** The environments in which anything of a flow ever ran. Their policies may depend on the flow's tags and name. */
export const flowRunsPartition = (org: OrganizationId, flow: FlowId | '-'): PartitionKey =>
  family(org, 'FLOWRUNS', flow);
export const flowRunsKey = (org: OrganizationId, flow: FlowId | '-', environment: EnvironmentId): Key =>
  keyIn(flowRunsPartition(org, flow), environment);
/** Artifacts that started in an environment, counted per day (`20261121`) and flow. */
export const deploymentsPartition = partitionOf('DEPLOYMENTS');
export const deploymentsKey = keyOf(deploymentsPartition, (day: string) => day);

/** What came on a day (`2026-11-21`), once the day is closed (rules/environments.md#presence). */
export const presencePartition = partitionOf('PRESENCE');
export const presenceKey = keyOf(presencePartition, (date: string) => date);

// The allow-list

export const allowedPartition = partitionOf('ALLOWED');
/** A fingerprint's entry in force. */
export const allowedKey = keyOf(allowedPartition, (fingerprint: Fingerprint) => fingerprint);
/** One of the entries that a fingerprint ever had. */
export const allowedEntryKey = keyOf(allowedPartition, (fingerprint: Fingerprint, id: Id) => `${fingerprint}#${id}`);
