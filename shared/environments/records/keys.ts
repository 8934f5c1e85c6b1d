import type { Id } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { family, instantSequence, sequence } from '#shared/table/keys.ts';
import type { Key } from '#shared/table/table.ts';

export const environmentNameKey = (org: Id, name: string): Key => ({ pk: family(org, 'ENVNAME', name), sk: 'NAME' });
export const environmentPartition = (org: Id, environment: Id): string => family(org, 'ENV', environment);
/** What reports need, and nothing that grows: one read of it decides that nothing changed (design §5). */
export const environmentHeadKey = (org: Id, environment: Id): Key => ({
  pk: environmentPartition(org, environment),
  sk: 'HEAD',
});
/** What only readers of the environment need: its description. */
export const environmentFactsKey = (org: Id, environment: Id): Key => ({
  pk: environmentPartition(org, environment),
  sk: 'FACTS',
});
export const environmentTagsKey = (org: Id, environment: Id): Key => ({
  pk: environmentPartition(org, environment),
  sk: 'TAGS',
});
/** A logical environment that has this one among its members. */
export const environmentGroupKey = (org: Id, member: Id, logical: Id): Key => ({
  pk: environmentPartition(org, member),
  sk: `IN#${logical}`,
});

// Snapshots of one environment: summaries by number, contents by number, numbers by time.

export const snapshotPartition = (org: Id, environment: Id): string => family(org, 'SNAPSHOT', environment);
export const snapshotKey = (org: Id, environment: Id, index: number): Key => ({
  pk: snapshotPartition(org, environment),
  sk: `S#${sequence(index)}`,
});
export const snapshotContentKey = (org: Id, environment: Id, index: number): Key => ({
  pk: snapshotPartition(org, environment),
  sk: `C#${sequence(index)}`,
});
export const snapshotTimeKey = (org: Id, environment: Id, at: Micros): Key => ({
  pk: snapshotPartition(org, environment),
  sk: `T#${instantSequence(at)}`,
});
/** What a partition of snapshots, of an environment, of an allow-list, of a policy or of a flow was made from. */
export const readSubjectPartition = (pk: string): { org: Id; family: string; subject: Id } | null => {
  const [org = '', name = '', subject, ...rest] = pk.split('#');
  return SUBJECT_FAMILIES.has(name) && subject !== undefined && rest.length === 0
    ? { org, family: name, subject }
    : null;
};
const SUBJECT_FAMILIES: ReadonlySet<string> = new Set(['SNAPSHOT', 'ENV', 'ALLOWED', 'POLICY', 'FLOW']);

// What the relay makes of snapshots

/** How far an environment's snapshots were expanded: every effect of theirs was had. */
export const expandedKey = (org: Id, environment: Id): Key => ({
  pk: family(org, 'EXPANDED', environment),
  sk: 'HEAD',
});
/** Events of an environment under the numbers that snapshots reserved (design §4.1). */
export const environmentEventPartition = (org: Id, environment: Id): string => family(org, 'ENVEVENT', environment);
export const environmentEventKey = (org: Id, environment: Id, number: number): Key => ({
  pk: environmentEventPartition(org, environment),
  sk: sequence(number),
});
/** The same events, of artifacts that one repository made. */
export const repoEventPartition = (org: Id, environment: Id, repo: Id): string =>
  family(org, 'ENVEVENT', environment, repo);
export const repoEventKey = (org: Id, environment: Id, repo: Id, number: number): Key => ({
  pk: repoEventPartition(org, environment, repo),
  sk: sequence(number),
});
/** Where a fingerprint runs, or ran last: an item per environment, replaced only by a greater snapshot (design §2.9). */
export const runningPartition = (org: Id, fingerprint: string): string => family(org, 'RUNNING', fingerprint);
export const runningKey = (org: Id, fingerprint: string, environment: Id): Key => ({
  pk: runningPartition(org, fingerprint),
  sk: environment,
});
/** The environments in which anything of a flow ever ran: its tags and its name matter to their policies. */
export const flowRunsPartition = (org: Id, flow: Id): string => family(org, 'FLOWRUNS', flow);
export const flowRunsKey = (org: Id, flow: Id, environment: Id): Key => ({
  pk: flowRunsPartition(org, flow),
  sk: environment,
});
/** Artifacts that started in an environment, counted per day (`20261121`) and flow. */
export const deploymentsPartition = (org: Id, environment: Id): string => family(org, 'DEPLOYMENTS', environment);
export const deploymentsKey = (org: Id, environment: Id, day: string): Key => ({
  pk: deploymentsPartition(org, environment),
  sk: day,
});

// The allow-list

export const allowedPartition = (org: Id, environment: Id): string => family(org, 'ALLOWED', environment);
/** The entry of a fingerprint in force. */
export const allowedKey = (org: Id, environment: Id, fingerprint: string): Key => ({
  pk: allowedPartition(org, environment),
  sk: fingerprint,
});
/** Every entry that a fingerprint ever had. */
export const allowedEntryKey = (org: Id, environment: Id, fingerprint: string, id: Id): Key => ({
  pk: allowedPartition(org, environment),
  sk: `${fingerprint}#${id}`,
});
