import type { RegoError, RegoErrorKind } from '#shared/rego/index.ts';

/** OPA's codes for programs that are refused before they run start with `rego_`, those of evaluations with `eval_`. */
const KINDS: readonly (readonly [code: RegExp, kinds: readonly RegoErrorKind[]])[] = [
  // Recursion through a name that is only known during evaluation is found during evaluation.
  [/^rego_recursion_error$/, ['parse', 'compile', 'eval']],
  // Whether the parser or the compiler finds a mistake differs between engines, so both kinds fit.
  [/^rego_/, ['parse', 'compile']],
  [/^eval_/, ['eval']],
];

/**
 * Whether the engine refused a program for the class of reason that a case wants. Texts are not compared: each engine
 * has its own. Going beyond a limit never fits, because the engine then did not find out what the case asks.
 * @param code OPA's code; null where the case names none
 */
export function fits(code: string | null, error: RegoError): boolean {
  if (error.kind === 'budget') return false;
  const [, kinds] = KINDS.find(([pattern]) => pattern.test(code ?? '')) ?? [];
  return kinds === undefined || kinds.includes(error.kind);
}

/** What the engine names as unsupported in an error; null for every other error. */
export function unsupportedFeature({ message }: RegoError): string | null {
  const [, name] = /undefined or unsupported function ([\w.]+)/.exec(message) ?? [];
  if (name !== undefined) return `function ${name}`;
  return /(?:^|: )([^:]+ is not supported\b[^:]*)$/.exec(message)?.[1] ?? null;
}
