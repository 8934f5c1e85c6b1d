import type { Budget } from '../limits.ts';
import { type Key, keyOf, RegoObject, type Value } from '../values/value.ts';
import type { Trace } from './trace.ts';
import type { RuleNode } from './tree.ts';

/** Data that stays the same during a whole evaluation. */
export interface Run {
  readonly budget: Budget;
  /** The instant of `time.now_ns`, in nanoseconds since 1970. */
  readonly now: bigint;
  /** Errors of built-in functions end the evaluation. */
  readonly strict: boolean;
  readonly root: RuleNode;
  readonly base: RegoObject;
  /** Data that built-in functions keep during the evaluation, by names of their own: compiled patterns. */
  readonly memo: Map<string, unknown>;
  /** Receives what happens to rules that were planned as watched. */
  readonly trace: Trace | null;
}

/** Replaces a function for the expressions under a `with`. */
export type Mock = (context: Context, args: readonly Value[]) => Value | undefined;

/** Values that `with` puts in place of parts of `data`. */
export interface Overlay {
  readonly value: Value | undefined;
  readonly children: ReadonlyMap<Key, readonly [Value, Overlay]>;
}

/** The surroundings of an expression: input, data and functions as changed by `with`, and the known values of rules. */
export class Context {
  readonly run: Run;
  readonly input: Value | undefined;
  readonly overlay: Overlay | null;
  readonly mocks: ReadonlyMap<string, Mock> | null;
  /** The context outside the `with`. */
  readonly outer: Context | null;
  /** Values of rules. Null while a rule is being evaluated. */
  readonly values = new Map<RuleNode, { readonly value: Value | undefined } | null>();

  constructor(run: Run, input: Value | undefined, changes: Partial<Pick<Context, 'overlay' | 'mocks' | 'outer'>> = {}) {
    this.run = run;
    this.input = input;
    this.overlay = changes.overlay ?? null;
    this.mocks = changes.mocks ?? null;
    this.outer = changes.outer ?? null;
  }
}

/** Returns a value with another value at a path. A part of the path that is no object becomes one. */
export function patched(value: Value | undefined, path: readonly Value[], replacement: Value): Value {
  const [key, ...rest] = path;
  if (key === undefined) return replacement;
  const made = value instanceof RegoObject ? RegoObject.of(value.unordered()) : new RegoObject();
  made.set(key, patched(made.get(key), rest, replacement));
  return made;
}

/** Returns an overlay with one more value at a path. */
export function overlaid(overlay: Overlay | null, path: readonly Value[], value: Value): Overlay {
  const [key, ...rest] = path;
  if (key === undefined) return { value, children: new Map() };
  if (overlay?.value !== undefined) return { value: patched(overlay.value, path, value), children: new Map() };
  const children = new Map(overlay?.children);
  const below = children.get(keyOf(key))?.[1] ?? null;
  children.set(keyOf(key), [key, overlaid(below, rest, value)]);
  return { value: undefined, children };
}
