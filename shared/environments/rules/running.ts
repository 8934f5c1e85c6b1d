import { hash } from 'node:crypto';
import * as z from 'zod';
import { type EnvironmentId, type Fingerprint, RunningFingerprint } from '#shared/base/ids.ts';

/** An owner of a pod, as the orchestrator names it. */
export const PodOwner = z.object({
  apiVersion: z.string().describe('API version of the owner'),
  kind: z.string().describe('Kind of the owner'),
  name: z.string().describe('Name of the owner'),
  uid: z.string().describe('Unique id of the owner'),
  controller: z.boolean().nullish().describe('Whether the owner is the controller of the pod'),
  blockOwnerDeletion: z.boolean().nullish().describe('Whether the owner cannot be deleted before the pod'),
});

export const Pod = z.object({
  namespace: z.string().describe('Namespace of the pod'),
  /** Seconds since the epoch. */
  creationTimestamp: z.int().describe('Start of the pod in seconds since the epoch'),
  owners: z.array(PodOwner).describe('The resources that own the pod'),
});
export type Pod = z.infer<typeof Pod>;

/** Where exactly an artifact runs: at most one block, by kind of environment (rules/environments.md#snapshot-artifact). */
export const RuntimeContext = z.object({
  /** By name of the pod. */
  pods: z.record(z.string(), Pod).optional(),
  ecs_context: z
    .object({
      task_arn: z.string().describe('Name of the task'),
      cluster_name: z.string().nullable().describe('Name of the cluster'),
      service_name: z.string().nullable().describe('Name of the service; null for a task or job without one'),
    })
    .optional(),
  azure_context: z
    .object({
      app_name: z.string().describe('Name of the app'),
      app_kind: z.string().nullable().describe('Kind of the app'),
      digests_source: z.string().nullable().describe('Where the reporter found the digests'),
    })
    .optional(),
  cloud_run_context: z
    .object({
      kind: z.enum(['service', 'job']).describe('Whether the artifact runs in a service or in a job'),
      service_name: z.string().nullable().describe('Name of the service; null for a task or job without one'),
      revision_name: z.string().nullable().describe('Name of the revision'),
      job_name: z.string().nullable().describe('Name of the job; null if the artifact runs in a service'),
    })
    .optional(),
});
export type RuntimeContext = z.infer<typeof RuntimeContext>;

/** An artifact that runs in an environment, in one or several instances (rules/environments.md#running-set). */
export const RunningArtifact = RuntimeContext.extend({
  name: z.string(),
  /** SHA-256 in hex; empty if the reporter could not find it out. */
  fingerprint: RunningFingerprint,
  /** Start of each instance, ascending, in seconds since the epoch. */
  started: z.array(z.int()).min(1),
});
export type RunningArtifact = z.infer<typeof RunningArtifact>;

export interface ArtifactIdentity {
  name: string;
  fingerprint: Fingerprint | '';
  /** In a group snapshot: id of the member in which it runs. */
  environment?: EnvironmentId | undefined;
}

/**
 * The key of an artifact within a snapshot: name and fingerprint, or the name alone if the fingerprint is empty
 * (rules/environments.md#running-set). The name stands last, since only the name may contain a slash.
 */
export const artifactKey = ({ name, fingerprint, environment }: ArtifactIdentity): string =>
  `${environment ?? ''}/${fingerprint}/${name}`;

/** Compares texts by code units, which gives the same order on every machine. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export const byFingerprint = (a: ArtifactIdentity, b: ArtifactIdentity): number =>
  compareText(a.fingerprint, b.fingerprint) || compareText(artifactKey(a), artifactKey(b));

/**
 * Digest of a running set: SHA-256 in hex over the keys of its artifacts. Order, instance counts, start times and pods do
 * not change it (rules/environments.md#running-set).
 */
export function runningSetDigest(rows: readonly ArtifactIdentity[]): string {
  const keys = [...new Set(rows.map(artifactKey))].sort(compareText);
  return hash('sha256', JSON.stringify(keys));
}
