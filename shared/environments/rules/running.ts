import { hash } from 'node:crypto';
import * as z from 'zod';
import { type EnvironmentId, type Fingerprint, RunningFingerprint } from '#shared/base/ids.ts';

/** Who owns a pod, as its orchestrator says it (wire environments §3). */
export const PodOwner = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  name: z.string(),
  uid: z.string(),
  controller: z.boolean().nullish(),
  blockOwnerDeletion: z.boolean().nullish(),
});

export const Pod = z.object({
  namespace: z.string(),
  /** Seconds since the epoch. */
  creationTimestamp: z.int(),
  owners: z.array(PodOwner),
});
export type Pod = z.infer<typeof Pod>;

/** Where exactly an artifact runs, one block per kind of environment that has one (wire environments §4.3, §13 row 23). */
export const RuntimeContext = z.object({
  /** By name of the pod. */
  pods: z.record(z.string(), Pod).optional(),
  ecs_context: z
    .object({ task_arn: z.string(), cluster_name: z.string().nullable(), service_name: z.string().nullable() })
    .optional(),
  azure_context: z
    .object({ app_name: z.string(), app_kind: z.string().nullable(), digests_source: z.string().nullable() })
    .optional(),
  cloud_run_context: z
    .object({
      kind: z.enum(['service', 'job']),
      service_name: z.string().nullable(),
      revision_name: z.string().nullable(),
      job_name: z.string().nullable(),
    })
    .optional(),
});
export type RuntimeContext = z.infer<typeof RuntimeContext>;

/** One artifact that runs in an environment, in one or several instances (semantics §5.2). */
export const RunningArtifact = RuntimeContext.extend({
  name: z.string(),
  /** SHA-256 in hex; empty where the reporter could not find it out. */
  fingerprint: RunningFingerprint,
  /** When each instance started, ascending, in seconds since the epoch: as many as there are instances. */
  started: z.array(z.int()).min(1),
});
export type RunningArtifact = z.infer<typeof RunningArtifact>;

/** What tells artifacts of a snapshot apart. */
export interface ArtifactIdentity {
  name: string;
  fingerprint: Fingerprint | '';
  /** Id of the member that it runs in, in the snapshot of a logical environment. */
  environment?: EnvironmentId | undefined;
}

/**
 * The key of an artifact within a snapshot: name and fingerprint, and so the name alone where the fingerprint is empty
 * (wire environments §13 row 17). Only the name may contain a slash, and it stands last.
 */
export const artifactKey = ({ name, fingerprint, environment }: ArtifactIdentity): string =>
  `${environment ?? ''}/${fingerprint}/${name}`;

/** Order of code units, the same on every machine. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Order by fingerprint, then name. */
export const byFingerprint = (a: ArtifactIdentity, b: ArtifactIdentity): number =>
  compareText(a.fingerprint, b.fingerprint) || compareText(artifactKey(a), artifactKey(b));

/**
 * Digest of a running set: SHA-256 in hex over the keys of its artifacts. Order, instance counts, start times and pods
 * carry no compliance meaning and leave it as it is (semantics §5.3; design §5, «The unchanged report»).
 */
export function runningSetDigest(rows: readonly ArtifactIdentity[]): string {
  const keys = [...new Set(rows.map(artifactKey))].sort(compareText);
  return hash('sha256', JSON.stringify(keys));
}
