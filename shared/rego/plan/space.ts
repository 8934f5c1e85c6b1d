import type { Builtin } from '../builtins/registry.ts';
import type { Names } from '../compile/scope.ts';
import type { RuleNode } from '../run/context.ts';

/** The rules and functions that plans may refer to. */
export interface World {
  readonly root: RuleNode;
  readonly builtins: ReadonlyMap<string, Builtin>;
  /** Whether the rules record what happens to them. Rules that do are slower. */
  readonly watched: boolean;
}

/** Assigns the slots of one definition's frame. */
export class Space {
  readonly names: Names;
  private readonly known = new Map<string, number>();
  private taken = 0;
  private collectors = 0;

  constructor(names: Names) {
    this.names = names;
  }

  get slots(): number {
    return this.taken;
  }

  get lists(): number {
    return this.collectors;
  }

  /** Returns the slot of a variable. */
  slot(name: string): number {
    const slot = this.known.get(name) ?? this.temporary();
    this.known.set(name, slot);
    return slot;
  }

  /** Puts a variable into an existing slot. */
  share(name: string, slot: number): void {
    this.known.set(name, slot);
  }

  /** Returns a slot without a name. */
  temporary(): number {
    this.taken += 1;
    return this.taken - 1;
  }

  /** Returns the index of an array that a comprehension fills. */
  list(): number {
    this.collectors += 1;
    return this.collectors - 1;
  }
}

/** Variables that are bound at one point of a plan. Planning adds to the set. */
export type Bound = Set<string>;
