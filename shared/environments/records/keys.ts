import {
  type EnvironmentId,
  type Fingerprint,
  type FlowId,
  type Id,
  type OrganizationId,
  storedId,
} from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { family, instantSequence, sequence } from '#shared/table/keys.ts';
import type { Key } from '#shared/table/table.ts';

export const environmentNameKey = (org: OrganizationId, name: string): Key => ({
  pk: family(org, 'ENVNAME', name),
  sk: 'NAME',
});
export const environmentPartition = (org: OrganizationId, environment: EnvironmentId): string =>
  family(org, 'ENV', environment);
/** What reports need, and nothing that grows: one read of it decides that nothing changed (design §5). */
export const environmentHeadKey = (org: OrganizationId, environment: EnvironmentId): Key => ({
  pk: environmentPartition(org, environment),
  sk: 'HEAD',
});
/** What only readers of the environment need: its description. */
export const environmentFactsKey = (org: OrganizationId, environment: EnvironmentId): Key => ({
  pk: environmentPartition(org, environment),
  sk: 'FACTS',
});
export const environmentTagsKey = (org: OrganizationId, environment: EnvironmentId): Key => ({
  pk: environmentPartition(org, environment),
  sk: 'TAGS',
});
/** A logical environment that has this one among its members. */
export const environmentGroupKey = (org: OrganizationId, member: EnvironmentId, logical: EnvironmentId): Key => ({
  pk: environmentPartition(org, member),
  sk: `IN#${logical}`,
});

// Snapshots of one environment: summaries by number, contents by number, numbers by time.

export const snapshotPartition = (org: OrganizationId, environment: EnvironmentId): string =>
  family(org, 'SNAPSHOT', environment);
export const snapshotKey = (org: OrganizationId, environment: EnvironmentId, index: number): Key => ({
  pk: snapshotPartition(org, environment),
  sk: `S#${sequence(index)}`,
});
export const snapshotContentKey = (org: OrganizationId, environment: EnvironmentId, index: number): Key => ({
  pk: snapshotPartition(org, environment),
  sk: `C#${sequence(index)}`,
});
export const snapshotTimeKey = (org: OrganizationId, environment: EnvironmentId, at: Micros): Key => ({
  pk: snapshotPartition(org, environment),
  sk: `T#${instantSequence(at)}`,
});
/** What a partition of snapshots, of an environment, of an allow-list, of a policy or of a flow was made from. */
export const readSubjectPartition = (pk: string): { org: OrganizationId; family: string; subject: Id } | null => {
  const [org = '', name = '', subject, ...rest] = pk.split('#');
  return SUBJECT_FAMILIES.has(name) && subject !== undefined && rest.length === 0
    ? { org: storedId(org), family: name, subject }
    : null;
};
const SUBJECT_FAMILIES: ReadonlySet<string> = new Set(['SNAPSHOT', 'ENV', 'ALLOWED', 'POLICY', 'FLOW']);

// What the relay makes of snapshots

/** How far an environment's snapshots were expanded: every effect of theirs was had. */
export const expandedKey = (org: OrganizationId, environment: EnvironmentId): Key => ({
  pk: family(org, 'EXPANDED', environment),
  sk: 'HEAD',
});
/** Events of an environment under the numbers that snapshots reserved (design §4.1). */
export const environmentEventPartition = (org: OrganizationId, environment: EnvironmentId): string =>
  family(org, 'ENVEVENT', environment);
export const environmentEventKey = (org: OrganizationId, environment: EnvironmentId, number: number): Key => ({
  pk: environmentEventPartition(org, environment),
  sk: sequence(number),
});
/** The same events, of artifacts that one repository made. */
export const repoEventPartition = (org: OrganizationId, environment: EnvironmentId, repo: Id): string =>
  family(org, 'ENVEVENT', environment, repo);
export const repoEventKey = (org: OrganizationId, environment: EnvironmentId, repo: Id, number: number): Key => ({
  pk: repoEventPartition(org, environment, repo),
  sk: sequence(number),
});
/** Where a fingerprint runs, or ran last: an item per environment, replaced only by a greater snapshot (design §2.9). */
export const runningPartition = (org: OrganizationId, fingerprint: Fingerprint): string =>
  family(org, 'RUNNING', fingerprint);
export const runningKey = (org: OrganizationId, fingerprint: Fingerprint, environment: EnvironmentId): Key => ({
  pk: runningPartition(org, fingerprint),
  sk: environment,
});
/** The environments in which anything of a flow ever ran: its tags and its name matter to their policies. */
export const flowRunsPartition = (org: OrganizationId, flow: FlowId | '-'): string => family(org, 'FLOWRUNS', flow);
export const flowRunsKey = (org: OrganizationId, flow: FlowId | '-', environment: EnvironmentId): Key => ({
  pk: flowRunsPartition(org, flow),
  sk: environment,
});
/** Artifacts that started in an environment, counted per day (`20261121`) and flow. */
export const deploymentsPartition = (org: OrganizationId, environment: EnvironmentId): string =>
  family(org, 'DEPLOYMENTS', environment);
export const deploymentsKey = (org: OrganizationId, environment: EnvironmentId, day: string): Key => ({
  pk: deploymentsPartition(org, environment),
  sk: day,
});

// The allow-list

export const allowedPartition = (org: OrganizationId, environment: EnvironmentId): string =>
  family(org, 'ALLOWED', environment);
/** The entry of a fingerprint in force. */
export const allowedKey = (org: OrganizationId, environment: EnvironmentId, fingerprint: Fingerprint): Key => ({
  pk: allowedPartition(org, environment),
  sk: fingerprint,
});
/** Every entry that a fingerprint ever had. */
export const allowedEntryKey = (
  org: OrganizationId,
  environment: EnvironmentId,
  fingerprint: Fingerprint,
  id: Id,
): Key => ({
  pk: allowedPartition(org, environment),
  sk: `${fingerprint}#${id}`,
});
