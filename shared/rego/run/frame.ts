import type { Value } from '../values/value.ts';
import type { Context } from './context.ts';

/**
 * A planned piece of a body. It calls what comes after it once per solution.
 * @returns true where no further solution is wanted
 */
export type Exec = (frame: Frame) => boolean;

/** A planned term with exactly one value, or undefined. */
export type Eval = (frame: Frame) => Value | undefined;

/** A planned piece that takes a value. */
export type Sink = (frame: Frame, value: Value) => boolean;

/** Variables of one running definition. Which slot is set at which point is settled when the plan is made. */
export class Frame {
  context: Context;
  readonly slots: (Value | undefined)[];
  /** Arrays that comprehensions are collecting. */
  readonly lists: Value[][];
  /** Value of a complete rule or function so far. */
  result: Value | undefined = undefined;
  /** Whether the clause that runs had a solution. */
  hit = false;
  /** Set or object that the rule adds to. */
  document: Document | null = null;

  constructor(context: Context, slots: number, lists: number) {
    this.context = context;
    this.slots = new Array<Value | undefined>(slots);
    this.lists = new Array<Value[]>(lists);
  }
}

/** What rules with keys add to. */
export interface Document {
  /** @param path keys below the node; a value put twice must be the same */
  put(path: readonly Value[], value: Value): void;
  /** Adds a member to the set at a path. */
  add(path: readonly Value[], member: Value): void;
}
