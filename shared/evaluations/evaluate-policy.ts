import { shorten } from '#shared/engines/limits.ts';
import type { ErrorKind, ExplainedOutcome, PolicyOutcome, PolicyRun } from '#shared/engines/policy-engine.ts';
import {
  compileModules,
  type Evaluation,
  evaluate,
  type Limits,
  type Module,
  parseJson,
  parseModules,
  RegoError,
  type RegoErrorKind,
  Trace,
} from '#shared/rego/index.ts';
import { compareStrings } from '#shared/rego/values/value.ts';
import { explanationOf } from './explanation.ts';
import { PolicyFileError, readPolicyFiles } from './policy-files.ts';

/** Kinds of errors of the engine as kinds of evaluations (rules/evaluations.md#error-kinds). */
const KINDS: Record<RegoErrorKind, ErrorKind> = {
  parse: 'policy_invalid',
  compile: 'policy_invalid',
  eval: 'policy_error',
  budget: 'policy_timeout',
};

/** Far above the needs of sound policies. The engine uses up the steps well within the time limit of the process. */
const LIMITS: Partial<Limits> = { steps: 50_000_000, string: 8 * 1024 * 1024 };

const LONGEST_VIOLATIONS = 1024 * 1024;

/**
 * Runs a policy on its input and returns a verdict or an error of the policy (rules/evaluations.md#rego-contract), with an
 * explanation if the run asks for one. The caller limits time and memory.
 *
 * @throws Error for a fault of the engine, and if the engine runs out of memory or stack
 */
export function evaluatePolicy(run: PolicyRun): ExplainedOutcome {
  const traces: Trace[] = [];
  const outcome = outcomeOf(run, traces);
  return traces.length > 0 ? { ...outcome, explanation: explanationOf(traces, run.files) } : outcome;
}

/** @param traces gets one trace for each query, if the run asks for an explanation */
function outcomeOf({ files, params, input, now, explain = false }: PolicyRun, traces: Trace[]): PolicyOutcome {
  try {
    const policy = readPolicyFiles(files);
    const modules = parseModules(policy.modules);
    checkEntry(modules);
    const compiled = compileModules(modules, Object.fromEntries(policy.data), { watched: explain });
    const run = {
      input: parseJson(input),
      now: BigInt(now) * 1000n,
      limits: LIMITS,
      ...(params !== null && { data: { params: parseJson(params) } }),
    };
    const query = (name: string) => {
      const trace = new Trace();
      if (explain) traces.push(trace);
      return evaluate(compiled, { query: `data.policy.${name}`, ...run, trace });
    };

    const allow = query('allow');
    if (!allow.defined) return failure('policy_error', "The rule 'allow' is undefined for this input");
    if (typeof allow.value !== 'boolean') {
      return failure('policy_error', `The rule 'allow' has to be true or false, and is ${typeName(allow.value)}`);
    }
    // Violations explain a denial, so they are evaluated only for a denial.
    const violations = allow.value ? [] : textsOf(query('violations'));
    if (violations.reduce((sum, text) => sum + text.length, 0) > LONGEST_VIOLATIONS) {
      return failure('policy_timeout', `The violations have more than ${LONGEST_VIOLATIONS} characters together`);
    }
    return { outcome: 'result', result: { allow: allow.value, violations } };
  } catch (error) {
    if (error instanceof PolicyFileError) return failure('policy_invalid', error.message);
    if (error instanceof RegoError) return failure(KINDS[error.kind], error.message);
    throw error;
  }
}

/** Cuts long messages, because a message may quote the policy. */
const failure = (kind: ErrorKind, message: string): PolicyOutcome => ({
  outcome: 'error',
  kind,
  message: shorten(message),
});

/** @throws PolicyFileError if no module has the package `policy` or no rule `allow` (rules/evaluations.md#entry-point) */
function checkEntry(modules: readonly Module[]): void {
  const entries = modules.filter(({ package: names }) => names.length === 1 && names[0] === 'policy');
  if (entries.length === 0) {
    const found = modules.map(({ package: names }) => names.join('.')).toSorted();
    const others = found.length > 0 ? `: there is ${found.join(', ')}` : '';
    throw new PolicyFileError(`No module has the package 'policy'${others}`);
  }
  // A function `allow` cannot be queried.
  const isDeclared = entries.some(({ rules }) =>
    rules.some(({ name: [name], args }) => name === 'allow' && args === null),
  );
  if (!isDeclared) throw new PolicyFileError("The package 'policy' has no rule 'allow'");
}

/** Returns the texts of a set or an array, sorted by their bytes (rules/evaluations.md#violations). Ignores everything else. */
function textsOf(found: Evaluation): string[] {
  if (!found.defined || !Array.isArray(found.value)) return [];
  return found.value.filter((one) => typeof one === 'string').sort(compareStrings);
}

const typeName = (value: object | string | number | bigint | null): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a set or an array';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? 'a string' : 'a number';
};
