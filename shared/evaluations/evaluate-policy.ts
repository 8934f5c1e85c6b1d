import { shorten } from '#shared/engines/limits.ts';
import type { ErrorKind, PolicyOutcome, PolicyRun } from '#shared/engines/policy-engine.ts';
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
} from '#shared/rego/index.ts';
import { compareStrings } from '#shared/rego/values/value.ts';
import { PolicyFileError, readPolicyFiles } from './policy-files.ts';

/** Whose fault it is, by what the engine says of it (semantics §8.2). */
const KINDS: Record<RegoErrorKind, ErrorKind> = {
  parse: 'policy_invalid',
  compile: 'policy_invalid',
  eval: 'policy_error',
  budget: 'policy_timeout',
};

/** Far above what sound policies need, and spent well within the time that the process has. */
const LIMITS: Partial<Limits> = { steps: 50_000_000, string: 8 * 1024 * 1024 };

/** Of all violations together, in characters. */
const LONGEST_VIOLATIONS = 1024 * 1024;

/**
 * What a policy says of its input: files in, verdict or error out (semantics §8.3). Nothing is known here of time,
 * memory and processes; whoever runs this bounds them.
 * @throws Error for faults of the engine, and where it runs out of memory or stack
 */
export function evaluatePolicy({ files, params, input, now }: PolicyRun): PolicyOutcome {
  try {
    const policy = readPolicyFiles(files);
    const modules = parseModules(policy.modules);
    checkEntry(modules);
    const compiled = compileModules(modules, Object.fromEntries(policy.data));
    const run = {
      ...{ input: parseJson(input), now: BigInt(now) * 1000n, limits: LIMITS },
      ...(params !== null && { data: { params: parseJson(params) } }),
    };
    const query = (name: string) => evaluate(compiled, { query: `data.policy.${name}`, ...run });

    const allow = query('allow');
    if (!allow.defined) return failure('policy_error', "The rule 'allow' is undefined for this input");
    if (typeof allow.value !== 'boolean') {
      return failure('policy_error', `The rule 'allow' has to be true or false, and is ${typeName(allow.value)}`);
    }
    // They explain a denial: nobody asks for them where there is none.
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

/** The message may quote the policy: it is cut where it grows long. */
const failure = (kind: ErrorKind, message: string): PolicyOutcome => ({
  outcome: 'error',
  ...{ kind, message: shorten(message) },
});

/** @throws PolicyFileError where the module that is asked, or the rule, is not there (semantics §8.3) */
function checkEntry(modules: readonly Module[]): void {
  const entries = modules.filter(({ package: names }) => names.length === 1 && names[0] === 'policy');
  if (entries.length === 0) {
    const found = modules.map(({ package: names }) => names.join('.')).toSorted();
    const others = found.length > 0 ? `: there is ${found.join(', ')}` : '';
    throw new PolicyFileError(`No module has the package 'policy'${others}`);
  }
  // A function of that name is nothing that can be asked for.
  const isDeclared = entries.some(({ rules }) =>
    rules.some(({ name: [name], args }) => name === 'allow' && args === null),
  );
  if (!isDeclared) throw new PolicyFileError("The package 'policy' has no rule 'allow'");
}

/** The texts of a set or an array, in the order of their bytes; whatever else it holds, or is, says nothing. */
function textsOf(found: Evaluation): string[] {
  if (!found.defined || !Array.isArray(found.value)) return [];
  return found.value.filter((one) => typeof one === 'string').sort(compareStrings);
}

const typeName = (value: object | string | number | bigint | null): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a set or an array';
  return { object: 'an object', string: 'a string' }[typeof value as string] ?? 'a number';
};
