import type { Location } from '../errors.ts';
import { type Key, keyOf, type Value } from '../values/value.ts';
import type { Exec } from './frame.ts';

/** A definition ready to run: it reads its arguments from the first slots and hands on by its frame. */
export interface PlannedRule {
  readonly run: Exec;
  /** Slots of a frame. */
  readonly slots: number;
  /** Collectors of comprehensions in a frame. */
  readonly lists: number;
  readonly at: Location;
}

/**
 * - `package`: no rule here, only further names
 * - `complete`: one value
 * - `set`, `object`: collected from all definitions (an object from names below, too)
 * - `function`: called, and no document
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

  /** The node of a name, made where it is not there yet. */
  ensure(name: Value): RuleNode {
    const key = keyOf(name);
    const found = this.children.get(key) ?? new RuleNode([...this.names, name]);
    this.children.set(key, found);
    return found;
  }

  /** The path as an author writes it. */
  get path(): string {
    return ['data', ...this.names.map((name) => (typeof name === 'string' ? name : String(name)))].join('.');
  }
}
