import type { Explanation, RuleExplanation } from '#shared/engines/policy-engine.ts';
import { type ClauseTrace, canonicalJson, type Trace } from '#shared/rego/index.ts';
import { isNumber, RegoObject, RegoSet, type Value, weightOf } from '#shared/rego/values/value.ts';

/** Bounds of an explanation (rules/evaluations.md#explanation). */
const MOST_RULES = 200;
const MOST_VALUES = 20;
const LONGEST_VALUE = 500;
const LONGEST_LINE = 200;
/** Characters of all values and lines together. */
const LONGEST_EXPLANATION = 256 * 1024;
/** Largest value, in its parts, that is written out before it is cut. */
const LARGEST_VALUE = 1_000;

/**
 * Describes what happened to the rules of a policy (rules/evaluations.md#explanation).
 * @param traces of the queries, in order. A rule that several queries tried is described by the first one
 * @param files path → text of the policy's files
 */
export function explanationOf(traces: readonly Trace[], files: Readonly<Record<string, string>>): Explanation {
  const lines = new Map(Object.entries(files).map(([path, text]) => [path, text.split('\n')] as const));
  const lineAt = (path: string, line: number) => shortened(lines.get(path)?.[line - 1]?.trim() ?? '', LONGEST_LINE);
  const first = new Map<string, ClauseTrace>();
  for (const clause of traces.flatMap((trace) => trace.clauses)) {
    const place = `${clause.at.path}:${clause.at.line}:${clause.at.column}`;
    if (!first.has(place)) first.set(place, clause);
  }
  const rules: RuleExplanation[] = [];
  let left = LONGEST_EXPLANATION;
  for (const clause of first.values()) {
    const rule = ruleOf(clause, lineAt);
    left -= JSON.stringify(rule).length;
    if (left < 0 || rules.length === MOST_RULES) return { rules, truncated: true };
    rules.push(rule);
  }
  return { rules, truncated: false };
}

const ruleOf = (
  { rule, isDefault, at, runs, solutions, value, values, stop }: ClauseTrace,
  lineAt: (path: string, line: number) => string,
): RuleExplanation => ({
  rule,
  file: at.path,
  line: at.line,
  is_default: isDefault,
  runs,
  solutions,
  value: value === undefined ? null : textOf(value),
  values: textsOf(values),
  stopped: stop && {
    line: stop.at.line,
    source: lineAt(stop.at.path, stop.at.line),
    times: stop.times,
    values: textsOf(stop.values),
  },
});

const textsOf = (values: ClauseTrace['values']) =>
  values.slice(0, MOST_VALUES).map(({ term, value }) => ({ term, value: value === undefined ? null : textOf(value) }));

/** Returns a value as JSON text that is cut after a maximum. Of a large collection it says the number of its members. */
function textOf(value: Value): string {
  if (typeof value === 'string') return shortened(JSON.stringify(value.slice(0, LONGEST_VALUE + 1)), LONGEST_VALUE);
  if (value === null || typeof value === 'boolean' || isNumber(value) || weightOf(value) <= LARGEST_VALUE) {
    return shortened(canonicalJson(value), LONGEST_VALUE);
  }
  if (value instanceof RegoSet) return `a set of ${value.size} members`;
  return value instanceof RegoObject ? `an object of ${value.size} keys` : `an array of ${value.length} elements`;
}

const shortened = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);
