import type { Flat } from '../compile/flat.ts';
import { reorder } from '../compile/safety.ts';
import type { Names } from '../compile/scope.ts';
import { RegoError } from '../errors.ts';
import type { Exec } from '../run/frame.ts';
import type { PlannedRule, RuleNode } from '../run/tree.ts';
import type { Location, Term } from '../syntax/ast.ts';
import { equal } from '../values/value.ts';
import { CallPlanner } from './calls.ts';
import { type Bound, Space, type World } from './space.ts';
import { constant, type Hoisted } from './terms.ts';

/** A clause with resolved names and flat literals. */
export interface FlatClause {
  readonly body: readonly Flat[];
  /** Keys below the rule's node, then its value or member. */
  readonly path: readonly Term[];
  readonly value: Term;
  readonly otherwise: FlatClause | null;
  readonly at: Location;
}

/** A definition that is ready for planning. */
export interface FlatRule {
  readonly node: RuleNode;
  readonly names: Names;
  readonly args: readonly Term[];
  readonly kind: 'value' | 'member' | 'entry';
  readonly clause: FlatClause;
  readonly at: Location;
}

/**
 * Plans one definition.
 * @throws RegoError `compile` for unsafe variables, unknown functions and wrong numbers of arguments
 */
export function planRule(rule: FlatRule, world: World): PlannedRule {
  return new RulePlanner(rule, world).plan();
}

class RulePlanner extends CallPlanner {
  private readonly rule: FlatRule;

  constructor(rule: FlatRule, world: World) {
    super(world, new Space(rule.names));
    this.rule = rule;
  }

  plan(): PlannedRule {
    const { args, clause, at } = this.rule;
    const slots = args.map(() => this.space.temporary());
    const bound: Bound = new Set();
    const run = this.args(args, slots, 0, bound, () => this.clause(clause, bound));
    return { run, slots: this.space.slots, lists: this.space.lists, at };
  }

  /** Plans the arguments, which are in the first slots. A variable uses its slot, a pattern is matched. */
  private args(args: readonly Term[], slots: readonly number[], from: number, bound: Bound, next: () => Exec): Exec {
    const arg = args[from];
    const slot = slots[from];
    if (arg === undefined || slot === undefined) return next();
    if (arg.type === 'var' && !bound.has(arg.name)) {
      this.space.share(arg.name, slot);
      bound.add(arg.name);
      return this.args(args, slots, from + 1, bound, next);
    }
    const sink = this.match(arg, bound, () => this.args(args, slots, from + 1, bound, next));
    return (frame) => {
      const value = frame.slots[slot];
      return value !== undefined && sink(frame, value);
    };
  }

  private clause(clause: FlatClause, outside: Bound): Exec {
    const bound = new Set(outside);
    const ordered = reorder(clause.body, bound, this.space.names, this.level);
    const main = this.literals(ordered, bound, () => this.head(clause, bound));
    if (clause.otherwise === null) return main;
    const otherwise = this.clause(clause.otherwise, outside);
    return (frame) => {
      frame.hit = false;
      const stop = main(frame);
      return frame.hit ? stop : otherwise(frame);
    };
  }

  private head(clause: FlatClause, bound: Bound): Exec {
    const hoisted: Hoisted[] = [];
    const path = clause.path.map((step) => this.hoist(step, hoisted));
    const value = this.hoist(clause.value, hoisted);
    return this.hoists(hoisted, bound, () =>
      this.rule.kind === 'value' ? this.value(value, bound, clause.at) : this.entry(path, value, bound),
    );
  }

  private value(term: Term, bound: Bound, at: Location): Exec {
    const value = this.evaluator(term, bound);
    const enough = constant(term) !== undefined;
    const { node } = this.rule;
    return (frame) => {
      const found = value(frame);
      if (found === undefined) return false;
      frame.hit = true;
      if (frame.result === undefined) {
        frame.result = found;
      } else if (!equal(frame.result, found)) {
        const message =
          node.kind === 'function'
            ? `functions must not produce multiple outputs for same inputs: ${node.path}`
            : `complete rules must not produce multiple outputs: ${node.path}`;
        throw new RegoError('eval', message, at);
      }
      return enough;
    };
  }

  private entry(path: readonly Term[], term: Term, bound: Bound): Exec {
    const keys = path.map((step) => this.evaluator(step, bound));
    const value = this.evaluator(term, bound);
    const member = this.rule.kind === 'member';
    return (frame) => {
      const found = value(frame);
      if (found === undefined || frame.document === null) return false;
      const names = [];
      for (const key of keys) {
        const name = key(frame);
        if (name === undefined) return false;
        names.push(name);
      }
      if (member) frame.document.add(names, found);
      else frame.document.put(names, found);
      return false;
    };
  }
}
