import type { Value } from '../values/value.ts';
import type { Context } from './context.ts';

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
