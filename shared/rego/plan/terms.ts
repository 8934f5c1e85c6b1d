import { constant } from '../compile/constant.ts';
import { type Flat, flatBody } from '../compile/flat.ts';
import { reorder, unsafeError } from '../compile/safety.ts';
import { isVariable, variables } from '../compile/variables.ts';
import { RegoError } from '../errors.ts';
import type { Eval, Exec, Frame, RuleNode } from '../run/context.ts';
import { below, type Doc, documentValue, rootPlace, ruleValue } from '../run/documents.ts';
import { type Comprehension, type Location, mapTerms, type RefTerm, type Term } from '../syntax/ast.ts';
import { equal, RegoObject, RegoSet, type Value, weightOf } from '../values/value.ts';
import type { Bound, Space, World } from './space.ts';

/** A reference that was moved out of a term, and the variable that replaced it. */
export interface Hoisted {
  readonly name: string;
  readonly ref: RefTerm;
}

/** Plans terms that have exactly one value when their variables are bound. */
export abstract class TermPlanner {
  protected readonly world: World;
  protected readonly space: Space;
  /** Level of the body that is being planned. */
  protected level = 1;

  constructor(world: World, space: Space) {
    this.world = world;
    this.space = space;
  }

  /** Plans ordered literals. `next` plans what follows when their variables are bound. */
  protected abstract literals(ordered: readonly Flat[], bound: Bound, next: () => Exec): Exec;

  /** Plans the references that stand in front of an expression. */
  protected abstract hoists(hoisted: readonly Hoisted[], bound: Bound, next: () => Exec): Exec;

  protected isBound(term: Term, bound: Bound): boolean {
    for (const name of variables(term, false)) if (!bound.has(name)) return false;
    return true;
  }

  protected unsafe(term: Term, bound: Bound): RegoError {
    const open = [...variables(term, false)].filter((name) => !bound.has(name));
    return unsafeError(open.map((name) => ({ name, at: term.at })));
  }

  /** Orders and plans a body that lies deeper. */
  protected inner(flats: readonly Flat[], bound: Bound, levels: number, next: () => Exec): Exec {
    this.level += levels;
    const exec = this.literals(reorder(flats, bound, this.space.names, this.level), bound, next);
    this.level -= levels;
    return exec;
  }

  /** Plans the value of a term whose variables are bound. */
  protected evaluator(term: Term, bound: Bound): Eval {
    const fixed = constant(term);
    if (fixed !== undefined) return () => fixed;
    if (!this.isBound(term, bound)) throw this.unsafe(term, bound);
    switch (term.type) {
      case 'var': {
        if (!isVariable(term.name)) throw new RegoError('compile', `var ${term.name} is unsafe`, term.at);
        const slot = this.space.slot(term.name);
        return (frame) => frame.slots[slot];
      }
      case 'ref':
        return this.reference(term, bound);
      case 'array':
        return this.array(term.items.map((item) => this.evaluator(item, bound)));
      case 'set':
        return this.set(term.items.map((item) => this.evaluator(item, bound)));
      case 'object':
        return this.object(
          term.pairs.map(([key, value]) => [this.evaluator(key, bound), this.evaluator(value, bound)] as const),
        );
      case 'comprehension':
        return this.comprehension(term, new Set(bound));
      default:
        throw new TypeError(`${term.type} is no term of a plan`);
    }
  }

  /** Finds the longest beginning of a reference that is known during planning, and returns the rest of its path. */
  protected start(ref: RefTerm, bound: Bound): { doc: (frame: Frame) => Doc | undefined; path: readonly Term[] } {
    const { head, path } = ref;
    if (head.type === 'var' && head.name === 'input') return { doc: (frame) => frame.context.input, path };
    if (head.type !== 'var' || head.name !== 'data') return { doc: this.evaluator(head, bound), path };
    let node: RuleNode = this.world.root;
    const keys: Value[] = [];
    while (node.kind === 'package') {
      const step = path[keys.length];
      const key = step === undefined ? undefined : constant(step);
      const child = key === undefined ? undefined : node.child(key);
      if (key === undefined || child === undefined) break;
      keys.push(key);
      node = child;
    }
    const rest = path.slice(keys.length);
    const slow = (frame: Frame) => followPath(frame, keys);
    if (node.kind === 'package' || node.kind === 'function') return { doc: slow, path: rest };
    const found = node;
    const doc = (frame: Frame) =>
      frame.context.overlay === null ? ruleValue(frame.context, found) : followPath(frame, keys);
    return { doc, path: rest };
  }

  private reference(ref: RefTerm, bound: Bound): Eval {
    const { doc, path } = this.start(ref, bound);
    const keys = path.map((step) => this.evaluator(step, bound));
    return (frame) => {
      let here = doc(frame);
      for (const key of keys) {
        if (here === undefined) return undefined;
        const value = key(frame);
        if (value === undefined) return undefined;
        here = below(frame.context, here, value);
      }
      return documentValue(frame.context, here);
    };
  }

  private array(items: readonly Eval[]): Eval {
    return (frame) => {
      frame.context.run.budget.spend(items.length);
      const made: Value[] = [];
      for (const item of items) {
        const value = item(frame);
        if (value === undefined) return undefined;
        made.push(value);
      }
      return checkWeight(frame, made);
    };
  }

  private set(items: readonly Eval[]): Eval {
    return (frame) => {
      frame.context.run.budget.spend(items.length);
      const made = new RegoSet();
      for (const item of items) {
        const value = item(frame);
        if (value === undefined) return undefined;
        made.add(value);
      }
      return checkWeight(frame, made);
    };
  }

  private object(pairs: readonly (readonly [Eval, Eval])[]): Eval {
    return (frame) => {
      frame.context.run.budget.spend(pairs.length);
      const made = new RegoObject();
      for (const [key, value] of pairs) {
        const name = key(frame);
        const member = value(frame);
        if (name === undefined || member === undefined) return undefined;
        made.set(name, member);
      }
      return checkWeight(frame, made);
    };
  }

  private comprehension(term: Comprehension, bound: Bound): Eval {
    if (term.kind === 'array') {
      const list = this.space.list();
      const exec = this.collector(term, bound, ([head]) => (frame) => {
        const value = head?.(frame);
        const collected = frame.lists[list];
        if (value === undefined || collected === undefined) return false;
        frame.context.run.budget.collection(collected.length + 1);
        collected.push(value);
        return false;
      });
      return (frame) => {
        const made: Value[] = [];
        frame.lists[list] = made;
        exec(frame);
        return checkWeight(frame, made);
      };
    }
    const slot = this.space.temporary();
    const exec = this.collector(term, bound, ([head, key]) =>
      term.kind === 'set' ? setCollector(slot, head) : objectCollector(slot, head, key, term.at),
    );
    return (frame) => {
      const made = term.kind === 'set' ? new RegoSet() : new RegoObject();
      frame.slots[slot] = made;
      exec(frame);
      return checkWeight(frame, made);
    };
  }

  private collector(term: Comprehension, bound: Bound, collect: (heads: readonly Eval[]) => Exec): Exec {
    return this.inner(flatBody(term), bound, 1, () => {
      const hoisted: Hoisted[] = [];
      const heads = (term.key === null ? [term.head] : [term.head, term.key]).map((head) => this.hoist(head, hoisted));
      return this.hoists(hoisted, bound, () => collect(heads.map((head) => this.evaluator(head, bound))));
    });
  }

  /** Replaces the references inside a term by variables, which are bound first. */
  protected hoist(term: Term, hoisted: Hoisted[]): Term {
    switch (term.type) {
      case 'ref': {
        const ref = this.hoistPath(term, hoisted);
        const name = this.space.names.make('ref', this.level);
        hoisted.push({ name, ref });
        return { type: 'var', name, at: term.at };
      }
      case 'array':
      case 'set':
      case 'object':
        return mapTerms(term, (one) => this.hoist(one, hoisted));
      default:
        return term;
    }
  }

  /** Replaces the references inside the brackets of a reference. */
  protected hoistPath(ref: RefTerm, hoisted: Hoisted[]): RefTerm {
    const head = ref.head.type === 'var' ? ref.head : this.hoist(ref.head, hoisted);
    return { ...ref, head, path: ref.path.map((step) => this.hoist(step, hoisted)) };
  }
}

/** Returns a new value, and throws when it is too large to be written out. */
function checkWeight<T extends Value>(frame: Frame, value: T): T {
  frame.context.run.budget.weight(weightOf(value));
  return value;
}

function followPath(frame: Frame, keys: readonly Value[]): Doc | undefined {
  let here: Doc | undefined = rootPlace(frame.context);
  for (const key of keys) {
    if (here === undefined) return undefined;
    here = below(frame.context, here, key);
  }
  return here;
}

function setCollector(slot: number, head: Eval | undefined): Exec {
  return (frame) => {
    const value = head?.(frame);
    const made = frame.slots[slot];
    if (value === undefined || !(made instanceof RegoSet)) return false;
    frame.context.run.budget.collection(made.size + 1);
    made.add(value);
    return false;
  };
}

function objectCollector(slot: number, head: Eval | undefined, key: Eval | undefined, at: Location): Exec {
  return (frame) => {
    const value = head?.(frame);
    const name = key?.(frame);
    const made = frame.slots[slot];
    if (value === undefined || name === undefined || !(made instanceof RegoObject)) return false;
    const old = made.get(name);
    if (old !== undefined && !equal(old, value)) throw new RegoError('eval', 'object keys must be unique', at);
    frame.context.run.budget.collection(made.size + 1);
    made.set(name, value);
    return false;
  };
}
