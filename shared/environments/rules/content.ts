import { hash } from 'node:crypto';
import * as z from 'zod';
import { EnvironmentId, FlowId, PolicyId, RunningFingerprint, TrailId } from '#shared/base/ids.ts';
import { AnyFlowName, AnyTrailName } from '#shared/base/names.ts';
import { VerifiedIdentity } from '#shared/callers/verified-identity.ts';
import type { PolicyDecision, PolicyDump } from '#shared/policies/rules/decision-schema.ts';
import { decisionOf, type PolicyResult } from '#shared/policies/rules/results.ts';
import type { Annotation } from './compare.ts';
import { RunningArtifact } from './running.ts';

const object = <T extends object>() => z.custom<T>((value) => typeof value === 'object' && value !== null);

/** A flow that has an artifact, as it was when the snapshot was made (rules/environments.md#snapshot-artifact). */
export const RowFlow = z.object({
  flow: FlowId,
  name: AnyFlowName,
  /** Id of the flow's latest trail with the artifact. */
  trail: TrailId,
  trailName: AnyTrailName,
  slot: z.string(),
  /** Id of the artifact's latest report in the flow. What an erasure can remove of a report is not copied. */
  report: z.string(),
  commit: z.string(),
  /** The artifact's effective verdict in the trail, as a word. */
  status: z.enum(['COMPLIANT', 'NON-COMPLIANT', 'INCOMPLETE']),
  compliant: z.boolean(),
  /** Why the artifact is not compliant in the trail. */
  reasons: z.array(z.string()),
});
export type RowFlow = z.infer<typeof RowFlow>;

/** The artifact that a started one replaced (rules/environments.md#deployment-diff). */
export const Replaced = z.object({
  fingerprint: RunningFingerprint,
  name: z.string(),
  compliant: z.boolean().nullable(),
  /** Whether it still runs beside its successor. */
  running: z.boolean(),
  trailName: AnyTrailName,
  slot: z.string(),
  report: z.string(),
  commit: z.string(),
});
export type Replaced = z.infer<typeof Replaced>;

export const SnapshotRow = RunningArtifact.extend({
  annotation: object<Annotation>(),
  /** In the order in which flows first had the fingerprint; the first is the primary one. */
  flows: z.array(RowFlow),
  /** Digest of the decisions, by which two snapshots are compared. */
  decisions: z.string(),
  /** The result of each policy. Rows with equal results share the object. */
  evaluations: z.array(object<PolicyResult>()),
  compliant: z.boolean().nullable(),
  /** Whether it was on the allow-list when the snapshot was made. */
  allowed: z.boolean(),
  /** By id of the flow. */
  replaced: z.record(z.string(), Replaced),
  /** In a logical environment: id of the member that it runs in. */
  environment: EnvironmentId.optional(),
});
export type SnapshotRow = z.infer<typeof SnapshotRow>;

/** Whether an artifact runs. Exited ones are shown, but neither counted nor evaluated (rules/environments.md#verdicts). */
export const isRunning = ({ annotation }: Pick<SnapshotRow, 'annotation'>): boolean => annotation.now > 0;

/** A policy with the version that was in force (rules/environments.md#snapshot-detail). */
export const AppliedPolicy = z.object({
  id: PolicyId,
  name: z.string(),
  version: z.number(),
  dump: object<PolicyDump>(),
});
export type AppliedPolicy = z.infer<typeof AppliedPolicy>;

/**
 * The content of a snapshot, stored as one JSON text (rules/environments.md#content). The content of a group snapshot
 * names the snapshots of the members. It has rows only if the group has policies, with their evaluations
 * (rules/environments.md#group-rows).
 */
export const SnapshotContent = z.object({
  rows: z.array(SnapshotRow),
  policies: z.array(AppliedPolicy),
  /** Member's id → index of its snapshot. */
  members: z.record(z.string(), z.number()).optional(),
  /** In a group snapshot: the member's snapshot that caused it; absent if members or policies changed. */
  gained: z.object({ environment: EnvironmentId, index: z.number() }).optional(),
  /** What an issuer proved about the reporter (rules/identities.md#evidence-says-who). */
  identity: VerifiedIdentity.optional(),
});
export type SnapshotContent = z.infer<typeof SnapshotContent>;

/** The parts of a row that say what policies decided about its artifact. */
export type JudgedRow = Pick<SnapshotRow, 'flows' | 'evaluations'>;

/** The decisions of all policies about a row, as answers show them (rules/policies.md#decision). */
export const decisionsOf = ({ flows, evaluations }: JudgedRow): PolicyDecision[] =>
  evaluations.map((result) => decisionOf(result, flows));

/**
 * Digest of the decisions about a row. It covers all that {@link decisionsOf} returns: name and version of a policy stand
 * for its rules. Without policies it is the same for all rows.
 */
export function decisionsDigest({ flows, evaluations }: JudgedRow): string {
  const places = evaluations.length === 0 ? [] : flows.map(({ name, trailName, status }) => [name, trailName, status]);
  const results = evaluations.map(({ policy_name, policy_version, outcomes }) => [
    policy_name,
    policy_version,
    outcomes,
  ]);
  return hash('sha256', JSON.stringify([places, results]));
}
