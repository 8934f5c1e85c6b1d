/** A place in a policy source; lines and columns count from 1. */
export interface Location {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/**
 * What a failure says about its cause:
 * - `parse`: the source is not Rego
 * - `compile`: it is, but cannot be run (unsafe variable, unknown function, recursion, unsupported construct)
 * - `eval`: a run ended in an error (conflicting outputs, or a failing built-in in strict mode)
 * - `budget`: a run or a source went past one of its limits
 */
export type RegoErrorKind = 'parse' | 'compile' | 'eval' | 'budget';

/** The only error that the engine throws for what a policy's author wrote; `message` starts with `path:line:column`. */
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
 * A built-in refused its operands. Outside strict mode the expression around it is undefined, as in the reference
 * engine; in strict mode the run ends.
 */
export class BuiltinError extends Error {
  override readonly name = 'BuiltinError';
}
