import {
  type EnvironmentId,
  type Fingerprint,
  type FlowId,
  type Id,
  type OrganizationId,
  storedId,
} from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Key, PartitionKey } from '#shared/table/items.ts';
import { family, instantSequence, keyIn, sequence } from '#shared/table/keys.ts';

export const environmentNameKey = (org: OrganizationId, name: string): Key =>
  keyIn(family(org, 'ENVNAME', name), 'NAME');
export const environmentPartition = (org: OrganizationId, environment: EnvironmentId): PartitionKey =>
  family(org, 'ENV', environment);
/**
 * The item that every report reads. It holds nothing that grows, since one read of it decides whether a report is
 * unchanged (rules/environments.md#unchanged-report).
 */
export const environmentHeadKey = (org: OrganizationId, environment: EnvironmentId): Key =>
  keyIn(environmentPartition(org, environment), 'HEAD');
/**
 * What lists show of environments and reports do not need: description, tags and links. All environments share one
 * partition, so one Query reads the details of a whole list. An archived environment has its details in its own
 * partition (rules/environments.md#stored-items).
 */
export const environmentDetailsPartition = (org: OrganizationId): PartitionKey => family(org, 'ENV');
export const environmentFactsKey = (org: OrganizationId, environment: EnvironmentId): Key =>
  keyIn(environmentDetailsPartition(org), `${environment}#FACTS`);
export const environmentTagsKey = (org: OrganizationId, environment: EnvironmentId): Key =>
  keyIn(environmentDetailsPartition(org), `${environment}#TAGS`);
/** Copy of the ids of policies and members that the head holds, for lists, which do not read heads. */
export const environmentLinksKey = (org: OrganizationId, environment: EnvironmentId): Key =>
  keyIn(environmentDetailsPartition(org), `${environment}#LINKS`);
/** The link from a member to a logical environment. */
export const environmentGroupKey = (org: OrganizationId, member: EnvironmentId, logical: EnvironmentId): Key =>
  keyIn(environmentPartition(org, member), `IN#${logical}`);

// Snapshots of one environment: summaries by number, contents by number, numbers by time.

export const snapshotPartition = (org: OrganizationId, environment: EnvironmentId): PartitionKey =>
  family(org, 'SNAPSHOT', environment);
export const snapshotKey = (org: OrganizationId, environment: EnvironmentId, index: number): Key =>
  keyIn(snapshotPartition(org, environment), `S#${sequence(index)}`);
export const snapshotContentKey = (org: OrganizationId, environment: EnvironmentId, index: number): Key =>
  keyIn(snapshotPartition(org, environment), `C#${sequence(index)}`);
export const snapshotTimeKey = (org: OrganizationId, environment: EnvironmentId, at: Micros): Key =>
  keyIn(snapshotPartition(org, environment), `T#${instantSequence(at)}`);
/** A snapshot whose state differs from that of the snapshot before (rules/environments.md#state-changes-over-time). */
export const snapshotStateKey = (org: OrganizationId, environment: EnvironmentId, at: Micros): Key =>
  keyIn(snapshotPartition(org, environment), `V#${instantSequence(at)}`);
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
export const expandedKey = (org: OrganizationId, environment: EnvironmentId): Key =>
  keyIn(family(org, 'EXPANDED', environment), 'HEAD');
/** Events of an environment under the numbers that snapshots reserved (rules/environments.md#events). */
export const environmentEventPartition = (org: OrganizationId, environment: EnvironmentId): PartitionKey =>
  family(org, 'ENVEVENT', environment);
export const environmentEventKey = (org: OrganizationId, environment: EnvironmentId, number: number): Key =>
  keyIn(environmentEventPartition(org, environment), sequence(number));
/** Copies of the events about artifacts that one repository made. */
export const repoEventPartition = (org: OrganizationId, environment: EnvironmentId, repo: Id): PartitionKey =>
  family(org, 'ENVEVENT', environment, repo);
export const repoEventKey = (org: OrganizationId, environment: EnvironmentId, repo: Id, number: number): Key =>
  keyIn(repoEventPartition(org, environment, repo), sequence(number));
/** Where a fingerprint runs or ran: one item per environment, replaced only for a greater snapshot (rules/environments.md#running). */
export const runningPartition = (org: OrganizationId, fingerprint: Fingerprint): PartitionKey =>
  family(org, 'RUNNING', fingerprint);
export const runningKey = (org: OrganizationId, fingerprint: Fingerprint, environment: EnvironmentId): Key =>
  keyIn(runningPartition(org, fingerprint), environment);
/** The environments in which anything of a flow ever ran. Their policies may depend on the flow's tags and name. */
export const flowRunsPartition = (org: OrganizationId, flow: FlowId | '-'): PartitionKey =>
  family(org, 'FLOWRUNS', flow);
export const flowRunsKey = (org: OrganizationId, flow: FlowId | '-', environment: EnvironmentId): Key =>
  keyIn(flowRunsPartition(org, flow), environment);
/** Artifacts that started in an environment, counted per day (`20261121`) and flow. */
export const deploymentsPartition = (org: OrganizationId, environment: EnvironmentId): PartitionKey =>
  family(org, 'DEPLOYMENTS', environment);
export const deploymentsKey = (org: OrganizationId, environment: EnvironmentId, day: string): Key =>
  keyIn(deploymentsPartition(org, environment), day);

// The allow-list

export const allowedPartition = (org: OrganizationId, environment: EnvironmentId): PartitionKey =>
  family(org, 'ALLOWED', environment);
/** A fingerprint's entry in force. */
export const allowedKey = (org: OrganizationId, environment: EnvironmentId, fingerprint: Fingerprint): Key =>
  keyIn(allowedPartition(org, environment), fingerprint);
/** One of the entries that a fingerprint ever had. */
export const allowedEntryKey = (
  org: OrganizationId,
  environment: EnvironmentId,
  fingerprint: Fingerprint,
  id: Id,
): Key => keyIn(allowedPartition(org, environment), `${fingerprint}#${id}`);
