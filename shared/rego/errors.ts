/** A place in a policy source. Lines and columns start at 1. */
export interface Location {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/**
 * The cause of an error:
 * - `parse`: the source is not Rego
 * - `compile`: the source is Rego and cannot be run (unsafe variable, unknown function, recursion, unsupported feature)
 * - `eval`: the evaluation ended in an error (conflicting values, or a failing built-in function in strict mode)
 * - `budget`: a source or an evaluation went beyond a limit
 */
export type RegoErrorKind = 'parse' | 'compile' | 'eval' | 'budget';

/** The only error that the engine throws for mistakes in a policy. Its message starts with `path:line:column`. */
export class RegoError extends Error {
  readonly kind: RegoErrorKind;
  readonly location: Location | null;

  constructor(kind: RegoErrorKind, message: string, location: Location | null = null) {
    super(location === null ? message : `${location.path}:${location.line}:${location.column}: ${message}`);
    this.name = 'RegoError';
    this.kind = kind;
    this.location = location;
  }
}

/**
 * A built-in function refused its operands. As in OPA, the expression around the call is then undefined; in strict mode
 * the evaluation ends.
 */
export class BuiltinError extends Error {
  override readonly name = 'BuiltinError';
}
