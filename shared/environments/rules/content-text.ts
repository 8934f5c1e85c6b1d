import type { PolicyDecision, RuleDefinition } from '#shared/policies/rules/decision-schema.ts';
import { outcomeText, type PolicyResult, policyResult } from '#shared/policies/rules/results.ts';
import { decisionsDigest, SnapshotContent, type SnapshotRow } from './content.ts';

/**
 * The stored form of a content (rules/environments.md#content). What repeats from artifact to artifact is stored once:
 * rule definitions, policies with their rules, results of policies, and sentences of reasons. Rows hold indexes.
 */
interface PackedContent extends Omit<SnapshotContent, 'rows'> {
  rules: RuleDefinition[];
  judges: PackedJudge[];
  /** Index of the judge, then {@link PolicyResult.outcomes}. */
  results: PackedResult[];
  reasons: string[];
  rows: PackedRow<number>[];
}

/** A policy version that decided, with the indexes of its rules. */
type PackedJudge = Pick<PolicyResult, 'policy_name' | 'policy_version' | 'at'> & { rules: number[] };
type PackedResult = [judge: number, ...outcomes: string[]];

/** Without the digest of decisions, which follows from the other fields. */
type PackedRow<E> = Omit<SnapshotRow, 'flows' | 'evaluations' | 'decisions'> & {
  /** Old contents hold the texts of reasons in place of indexes. */
  flows: Flows<number | string>[];
  evaluations: E[];
};

interface Flows<R> {
  reasons: readonly R[];
}

/** A decision in the former form, which repeated all outcomes in each row. `rule` is an index. */
type FormerDecision = Omit<PolicyDecision, 'rule_evaluations'> & {
  rule_evaluations: (Omit<PolicyDecision['rule_evaluations'][number], 'rule'> & { rule: number })[];
};
type FormerContent = Omit<PackedContent, 'judges' | 'results' | 'rows'> & { rows: PackedRow<FormerDecision>[] };

/** Packs a content into its stored text. Equal contents give equal texts. */
export function contentText({ rows, ...rest }: SnapshotContent): string {
  const rules = distinctValues((rule: RuleDefinition) => JSON.stringify(rule));
  const judges = distinctValues((judge: PackedJudge) => JSON.stringify(judge));
  const results = distinctValues((result: PolicyResult) => JSON.stringify(packedResult(result)));
  const reasons = distinctValues((reason: string) => reason);
  const packedResult = ({ policy_name, policy_version, rules: applied, outcomes, at }: PolicyResult): PackedResult => [
    judges.indexOf({ policy_name, policy_version, rules: applied.map(rules.indexOf), ...(at !== undefined && { at }) }),
    ...outcomes,
  ];
  const packedRows = rows.map(({ decisions: _, ...row }) => ({
    ...row,
    flows: withReasons(row.flows, reasons.indexOf),
    evaluations: row.evaluations.map(results.indexOf),
  }));
  const packed: PackedContent = {
    ...rest,
    rows: packedRows,
    results: results.all.map(packedResult),
    judges: judges.all,
    rules: rules.all,
    reasons: reasons.all,
  };
  return JSON.stringify(packed);
}

/**
 * Unpacks the stored text of a content, also in the former form.
 * @throws Error if {@link contentText} has not made the text
 */
export function readContentText(text: string): SnapshotContent {
  // The service wrote the text and pledged its hash, and the schema checks the unpacked content.
  const packed = JSON.parse(text) as PackedContent | FormerContent;
  return 'results' in packed ? readPacked(packed) : readFormer(packed);
}

function readPacked({ rules, judges, results, reasons, rows, ...rest }: PackedContent): SnapshotContent {
  const policies = judges.map((judge) => ({
    ...judge,
    rules: judge.rules.map((index) => valueAt(rules, index, 'rule')),
  }));
  const unpacked = results.map(([judge, ...outcomes]) => policyResult(valueAt(policies, judge, 'policy'), outcomes));
  return unpackedContent({ ...rest, reasons }, rows, (index) => valueAt(unpacked, index, 'result'));
}

function readFormer({ rules, reasons, rows, ...rest }: FormerContent): SnapshotContent {
  return unpackedContent({ ...rest, reasons }, rows, ({ rule_evaluations: evaluations, ...policy }) => {
    const contexts = evaluations[0]?.resolutions ?? [];
    return policyResult(
      { ...policy, rules: evaluations.map(({ rule }) => valueAt(rules, rule, 'rule')) },
      contexts.map((_, n) => outcomeText(evaluations.flatMap(({ resolutions }) => resolutions[n] ?? []))),
    );
  });
}

/** @param resultOf returns the result that an entry of a row stands for */
function unpackedContent<E>(
  { reasons, ...rest }: Omit<SnapshotContent, 'rows'> & { reasons: string[] },
  rows: readonly PackedRow<E>[],
  resultOf: (entry: E) => PolicyResult,
): SnapshotContent {
  const reasonAt = (reason: number | string) =>
    typeof reason === 'string' ? reason : valueAt(reasons, reason, 'reason');
  const content = SnapshotContent.parse({
    ...rest,
    rows: rows.map((row) => ({
      ...row,
      decisions: '',
      flows: withReasons(row.flows, reasonAt),
      evaluations: row.evaluations.map(resultOf),
    })),
  });
  return { ...content, rows: content.rows.map((row) => ({ ...row, decisions: decisionsDigest(row) })) };
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
