import * as z from 'zod';
import { EnvironmentId, FlowId, PolicyId, RunningFingerprint, TrailId } from '#shared/base/ids.ts';
import { VerifiedIdentity } from '#shared/base/verified-identity.ts';
import type { PolicyDecision } from '#shared/policies/rules/evaluate.ts';
import type { PolicyDump, RuleDefinition } from '#shared/policies/rules/forms.ts';
import type { Annotation } from './compare.ts';
import { RunningArtifact } from './running.ts';

const object = <T extends object>() => z.custom<T>((value) => typeof value === 'object' && value !== null);

/** A flow that has an artifact, as it was when the snapshot was made (rules/environments.md#snapshot-artifact). */
export const RowFlow = z.object({
  /** Id of the flow. */
  flow: FlowId,
  /** Name of the flow at the time. */
  name: z.string(),
  /** Id of the flow's latest trail with the artifact. */
  trail: TrailId,
  trailName: z.string(),
  /** Template reference name. */
  slot: z.string(),
  /** Id of the artifact's latest report in the flow. What an erasure can remove of a report is not copied. */
  report: z.string(),
  /** SHA of the report's commit. */
  commit: z.string(),
  /** The artifact's effective verdict in the trail, as a word. */
  status: z.string(),
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
  trailName: z.string(),
  slot: z.string(),
  report: z.string(),
  commit: z.string(),
});
export type Replaced = z.infer<typeof Replaced>;

/** An artifact of a snapshot with its evaluation. */
export const SnapshotRow = RunningArtifact.extend({
  annotation: object<Annotation>(),
  /** In the order in which flows first had the fingerprint; the first is the primary one. */
  flows: z.array(RowFlow),
  /** Digest over `evaluations`, by which two snapshots are compared. */
  decisions: z.string(),
  evaluations: z.array(object<PolicyDecision>()),
  compliant: z.boolean().nullable(),
  /** Whether it was on the allow-list when the snapshot was made. */
  allowed: z.boolean(),
  /** By id of the flow. */
  replaced: z.record(z.string(), Replaced),
  /** In a logical environment: id of the member that it runs in. */
  environment: EnvironmentId.optional(),
});
export type SnapshotRow = z.infer<typeof SnapshotRow>;

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

/**
 * The stored form of a content. Rule definitions and sentences of reasons repeat from artifact to artifact. Each of them
 * is stored once, and rows hold its index.
 */
interface PackedContent extends Omit<SnapshotContent, 'rows'> {
  rules: RuleDefinition[];
  reasons: string[];
  rows: PackedRow[];
}

type PackedRow = Omit<SnapshotRow, 'flows' | 'evaluations'> & {
  /** Old contents hold the texts of reasons in place of indexes. */
  flows: Flows<number | string>[];
  evaluations: Evaluations<number>[];
};

interface Flows<R> {
  reasons: readonly R[];
}

interface Evaluations<R> {
  rule_evaluations: readonly { rule: R }[];
}

/** Packs a content into its stored text. Equal contents give equal texts. */
export function contentText({ rows, ...rest }: SnapshotContent): string {
  const rules = distinctValues((rule: RuleDefinition) => JSON.stringify(rule));
  const reasons = distinctValues((reason: string) => reason);
  const packed: PackedContent = {
    ...rest,
    rows: rows.map((row) => ({
      ...row,
      flows: withReasons(row.flows, reasons.indexOf),
      evaluations: withRules(row.evaluations, rules.indexOf),
    })),
    rules: rules.all,
    reasons: reasons.all,
  };
  return JSON.stringify(packed);
}

/**
 * Unpacks the stored text of a content.
 * @throws Error if {@link contentText} has not made the text
 */
export function readContentText(text: string): SnapshotContent {
  const { rules, reasons, rows, ...rest } = JSON.parse(text) as PackedContent;
  const ruleAt = (index: number) => valueAt(rules, index, 'rule');
  const reasonAt = (reason: number | string) =>
    typeof reason === 'string' ? reason : valueAt(reasons, reason, 'reason');
  const unpacked = rows.map((row) => ({
    ...row,
    flows: withReasons(row.flows, reasonAt),
    evaluations: withRules(row.evaluations, ruleAt),
  }));
  return SnapshotContent.parse({ ...rest, rows: unpacked });
}

function valueAt<T>(values: readonly T[], index: number, kind: string): T {
  const value = values[index];
  if (value === undefined) throw new Error(`A snapshot names ${kind} ${index} of ${values.length}`);
  return value;
}

/**
 * Collects values, each once, in the order of their first use. Finds the same object without computing its text, and an
 * equal object by its text.
 */
function distinctValues<T>(textOf: (value: T) => string): { all: T[]; indexOf: (value: T) => number } {
  const all: T[] = [];
  const known = new Map<T | string, number>();
  const indexByText = (value: T): number => {
    const text = textOf(value);
    const index = known.get(text) ?? all.push(value) - 1;
    known.set(text, index).set(value, index);
    return index;
  };
  return { all, indexOf: (value) => known.get(value) ?? indexByText(value) };
}

const withReasons = <R, S>(flows: readonly Flows<R>[], convert: (reason: R) => S) =>
  flows.map((flow) => ({ ...flow, reasons: flow.reasons.map(convert) }));

const withRules = <R, S>(evaluations: readonly Evaluations<R>[], convert: (rule: R) => S) =>
  evaluations.map((decision) => ({
    ...decision,
    rule_evaluations: decision.rule_evaluations.map((evaluation) => ({
      ...evaluation,
      rule: convert(evaluation.rule),
    })),
  }));
