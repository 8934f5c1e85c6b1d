import * as z from 'zod';
import { EnvironmentId, FlowId, PolicyId, RunningFingerprint, TrailId } from '#shared/base/ids.ts';
import type { PolicyDecision } from '#shared/policies/rules/evaluate.ts';
import type { PolicyDump, RuleDefinition } from '#shared/policies/rules/forms.ts';
import type { Annotation } from './compare.ts';
import { RunningArtifact } from './running.ts';

const object = <T extends object>() => z.custom<T>((value) => typeof value === 'object' && value !== null);

/** A flow that vouches for an artifact, as it was when the snapshot was made (semantics §3.10, §5.5). */
export const RowFlow = z.object({
  /** Id of the flow, and its name at the time. */
  flow: FlowId,
  name: z.string(),
  /** Id of the flow's latest trail with the artifact, and its name. */
  trail: TrailId,
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
  fingerprint: RunningFingerprint,
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
  environment: EnvironmentId.optional(),
});
export type SnapshotRow = z.infer<typeof SnapshotRow>;

/** A policy with the version that was in force (semantics §5.5). */
export const AppliedPolicy = z.object({
  id: PolicyId,
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
  /** In a logical environment: the member's snapshot that it was made for, whose events are its own; absent: none. */
  gained: z.object({ environment: EnvironmentId, index: z.number() }).optional(),
});
export type SnapshotContent = z.infer<typeof SnapshotContent>;

/**
 * The form in which a content is kept: what artifact after artifact repeats, rule definitions and the sentences of
 * reasons, stands once, and rows say its place.
 */
interface PackedContent extends Omit<SnapshotContent, 'rows'> {
  rules: RuleDefinition[];
  reasons: string[];
  rows: PackedRow[];
}

type PackedRow = Omit<SnapshotRow, 'flows' | 'evaluations'> & {
  /** Texts themselves in contents that were stored before reasons had places. */
  flows: Flows<number | string>[];
  evaluations: Evaluations<number>[];
};

interface Flows<R> {
  reasons: readonly R[];
}

interface Evaluations<R> {
  rule_evaluations: readonly { rule: R }[];
}

/** The text of a content, which {@link readContentText} reads. The same content always gives the same text. */
export function contentText({ rows, ...rest }: SnapshotContent): string {
  const [rules, reasons] = [places((rule: RuleDefinition) => JSON.stringify(rule)), places((reason: string) => reason)];
  const packed: PackedContent = {
    ...rest,
    rows: rows.map((row) => ({
      ...row,
      flows: withReasons(row.flows, reasons.placeOf),
      evaluations: withRules(row.evaluations, rules.placeOf),
    })),
    rules: rules.all,
    reasons: reasons.all,
  };
  return JSON.stringify(packed);
}

/** @throws Error where the text is not one that {@link contentText} made */
export function readContentText(text: string): SnapshotContent {
  const { rules, reasons, rows, ...rest } = JSON.parse(text) as PackedContent;
  const ruleAt = (place: number) => at(rules, place, 'rule');
  const reasonAt = (reason: number | string) => (typeof reason === 'string' ? reason : at(reasons, reason, 'reason'));
  const unpacked = rows.map((row) => ({
    ...row,
    flows: withReasons(row.flows, reasonAt),
    evaluations: withRules(row.evaluations, ruleAt),
  }));
  return SnapshotContent.parse({ ...rest, rows: unpacked });
}

function at<T>(values: readonly T[], place: number, kind: string): T {
  const value = values[place];
  if (value === undefined) throw new Error(`A snapshot names ${kind} ${place} of ${values.length}`);
  return value;
}

/** Values in the order in which they first come, each once: the same object at a glance, an equal one by its text. */
function places<T>(textOf: (value: T) => string): { all: T[]; placeOf: (value: T) => number } {
  const all: T[] = [];
  const known = new Map<T | string, number>();
  const placeByText = (value: T): number => {
    const text = textOf(value);
    const place = known.get(text) ?? all.push(value) - 1;
    known.set(text, place).set(value, place);
    return place;
  };
  return { all, placeOf: (value) => known.get(value) ?? placeByText(value) };
}

const withReasons = <R, S>(flows: readonly Flows<R>[], other: (reason: R) => S) =>
  flows.map((flow) => ({ ...flow, reasons: flow.reasons.map(other) }));

const withRules = <R, S>(evaluations: readonly Evaluations<R>[], other: (rule: R) => S) =>
  evaluations.map((decision) => ({
    ...decision,
    rule_evaluations: decision.rule_evaluations.map((evaluation) => ({ ...evaluation, rule: other(evaluation.rule) })),
  }));
