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
  /** Slots and lists so far. */
  slots = 0;
  lists = 0;
  private readonly known = new Map<string, number>();

  constructor(names: Names) {
    this.names = names;
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
    this.slots += 1;
    return this.slots - 1;
  }

  /** Returns the index of an array that a comprehension fills. */
  list(): number {
    this.lists += 1;
    return this.lists - 1;
  }
}

/** Variables that are bound at one point of a plan. Planning adds to the set. */
export type Bound = Set<string>;
