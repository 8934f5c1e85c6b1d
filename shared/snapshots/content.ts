import * as z from 'zod';
import type { PolicyDecision } from '../policies/evaluate.ts';
import type { PolicyDump } from '../policies/forms.ts';
import type { Annotation } from '../runtime/compare.ts';
import { RunningArtifact } from '../runtime/running.ts';

const object = <T extends object>() => z.custom<T>((value) => typeof value === 'object' && value !== null);

/** A flow that vouches for an artifact, as it was when the snapshot was made (semantics §3.10, §5.5). */
export const RowFlow = z.object({
  /** Id of the flow, and its name at the time. */
  flow: z.string(),
  name: z.string(),
  /** Id of the flow's latest trail with the artifact, and its name. */
  trail: z.string(),
  trailName: z.string(),
  /** Template reference name. */
  slot: z.string(),
  /** Id of the artifact's latest report in the flow: commit, build and repository are read there, since it never changes. */
  report: z.string(),
  /** The artifact's effective verdict in the trail, as a word, and why it is not compliant. */
  status: z.string(),
  compliant: z.boolean(),
  reasons: z.array(z.string()),
});
export type RowFlow = z.infer<typeof RowFlow>;

/** What an artifact that started took the place of: of the same flow and template name, in the snapshot before. */
export const Replaced = z.object({
  fingerprint: z.string(),
  name: z.string(),
  compliant: z.boolean().nullable(),
  /** Whether it still runs beside its successor. */
  running: z.boolean(),
  trailName: z.string(),
  slot: z.string(),
  report: z.string(),
});
export type Replaced = z.infer<typeof Replaced>;

/** An artifact of a snapshot with what its evaluation found. */
export const SnapshotRow = RunningArtifact.extend({
  annotation: object<Annotation>(),
  /** In the order in which flows first had the fingerprint; the first is the primary one. */
  flows: z.array(RowFlow),
  /** Digest over `evaluations`: two snapshots are compared by it. */
  decisions: z.string(),
  evaluations: z.array(object<PolicyDecision>()),
  compliant: z.boolean().nullable(),
  /** Allow-listed when the snapshot was made. */
  allowed: z.boolean(),
  /** By id of the flow. */
  replaced: z.record(z.string(), Replaced),
  /** In a logical environment: id of the member that it runs in. */
  environment: z.string().optional(),
});
export type SnapshotRow = z.infer<typeof SnapshotRow>;

/** A policy with the version that was in force (semantics §5.5). */
export const AppliedPolicy = z.object({
  id: z.string(),
  name: z.string(),
  version: z.number(),
  dump: object<PolicyDump>(),
});
export type AppliedPolicy = z.infer<typeof AppliedPolicy>;

/**
 * What a snapshot holds, as one JSON text. That of a logical environment names the snapshots of its members instead of
 * repeating them, and has rows only where policies of its own judged them (design §5, «Logical environments»).
 */
export const SnapshotContent = z.object({
  rows: z.array(SnapshotRow),
  policies: z.array(AppliedPolicy),
  /** Member's id → index of its snapshot. */
  members: z.record(z.string(), z.number()).optional(),
});
export type SnapshotContent = z.infer<typeof SnapshotContent>;
