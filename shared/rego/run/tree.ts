import type { Location } from '../errors.ts';
import { type Key, keyOf, type Value } from '../values/value.ts';
import type { Exec } from './frame.ts';

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
