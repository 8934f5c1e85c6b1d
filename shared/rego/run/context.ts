import type { Location } from '../errors.ts';
import type { Budget } from '../limits.ts';
import { type Key, keyOf, RegoObject, type Value } from '../values/value.ts';
import type { Trace } from './trace.ts';

/**
 * What a plan runs on: the tree of rules, the context of an expression, and the frame of a definition. They lie in one file
 * because each refers to the others.
 */

/** A planned definition. It reads its arguments from the first slots and returns its result in the frame. */
export interface PlannedRule {
  readonly run: Exec;
  /** Slots of its frame. */
  readonly slots: number;
  /** Arrays of its frame that comprehensions fill. */
  readonly lists: number;
  readonly at: Location;
}

/**
 * - `package`: has no rule, only further names
 * - `complete`: has one value
 * - `set`, `object`: collects from all definitions (an object also from the names below it)
 * - `function`: can be called, and is no document
 */
export type NodeKind = 'package' | 'complete' | 'set' | 'object' | 'function';

/** One name below `data` that rules define, with the names below it. */
export class RuleNode {
  readonly names: readonly Value[];
  readonly children = new Map<Key, RuleNode>();
  kind: NodeKind = 'package';
  arity = 0;
  rules: PlannedRule[] = [];
  /** The default rule. */
  fallback: PlannedRule | null = null;

  constructor(names: readonly Value[]) {
    this.names = names;
  }

  child(name: Value): RuleNode | undefined {
    return this.children.get(keyOf(name));
  }

  /** Returns the node of a name and creates it where needed. */
  ensure(name: Value): RuleNode {
    const key = keyOf(name);
    const found = this.children.get(key) ?? new RuleNode([...this.names, name]);
    this.children.set(key, found);
    return found;
  }

  /** Returns the path as an author writes it. */
  get path(): string {
    return ['data', ...this.names.map((name) => (typeof name === 'string' ? name : String(name)))].join('.');
  }
}

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

/**
 * A planned part of a body. It calls the part after it once per solution.
 * @returns true when no further solution is needed
 */
export type Exec = (frame: Frame) => boolean;

/** A planned term with one value or none. */
export type Eval = (frame: Frame) => Value | undefined;

/** A planned part that receives a value. */
export type Sink = (frame: Frame, value: Value) => boolean;

/** Variables of one running definition. The plan decides which slot is set at which point. */
export class Frame {
  context: Context;
  readonly slots: (Value | undefined)[];
  /** Arrays that comprehensions fill. */
  readonly lists: Value[][];
  /** The value of a complete rule or function so far. */
  result: Value | undefined = undefined;
  /** Whether the running clause had a solution. */
  hit = false;
  /** The set or object that the rule adds to. */
  document: Document | null = null;

  constructor(context: Context, slots: number, lists: number) {
    this.context = context;
    this.slots = new Array<Value | undefined>(slots);
    this.lists = new Array<Value[]>(lists);
  }
}

/** The set or object that rules with keys add to. */
export interface Document {
  /** @param path keys below the node. A second value for a path must equal the first. */
  put(path: readonly Value[], value: Value): void;
  /** Adds a member to the set at a path. */
  add(path: readonly Value[], member: Value): void;
}
