import { constant } from '../compile/constant.ts';
import type { Flat } from '../compile/flat.ts';
import { reorder } from '../compile/safety.ts';
import type { Names } from '../compile/scope.ts';
import { RegoError } from '../errors.ts';
import type { Exec, Frame, PlannedRule, RuleNode } from '../run/context.ts';
import type { ClauseOfRule, TermValue } from '../run/trace.ts';
import type { Location, Term } from '../syntax/ast.ts';
import { equal } from '../values/value.ts';
import { CallPlanner } from './calls.ts';
import { type Bound, Space, type World } from './space.ts';
import type { Hoisted } from './terms.ts';
import { termsOfValue, type WatchedTerm, watchedTerms } from './watch.ts';

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
  readonly isDefault: boolean;
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
    const main = this.world.watched
      ? this.watched(clause, ordered, bound)
      : this.literals(ordered, bound, () => this.head(clause, bound));
    if (clause.otherwise === null) return main;
    const otherwise = this.clause(clause.otherwise, outside);
    return (frame) => {
      frame.hit = false;
      const stop = main(frame);
      return frame.hit ? stop : otherwise(frame);
    };
  }

  /** Plans a clause that records its runs, its solutions and the literals that did not hold. */
  private watched({ at, ...clause }: FlatClause, ordered: readonly Flat[], bound: Bound): Exec {
    const watch: ClauseOfRule = { rule: this.rule.node.path, isDefault: this.rule.isDefault, at };
    const main = this.watchedLiterals(watch, ordered, bound, () => this.head({ at, ...clause }, bound, watch));
    return (frame) => {
      frame.context.run.trace?.enter(watch);
      return main(frame);
    };
  }

  private watchedLiterals(
    watch: ClauseOfRule,
    ordered: readonly Flat[],
    bound: Bound,
    next: () => Exec,
    from = 0,
  ): Exec {
    const flat = ordered[from];
    if (flat === undefined) return next();
    let held = 0;
    const known = new Set(bound);
    const main = this.literals([flat], bound, () => {
      const rest = this.watchedLiterals(watch, ordered, bound, next, from + 1);
      return (frame) => {
        held += 1;
        return rest(frame);
      };
    });
    const values = this.valuesOf(
      watchedTerms(flat, ordered, (term) => this.isBound(term, known)),
      known,
    );
    return (frame) => {
      const before = held;
      const stop = main(frame);
      if (held === before) frame.context.run.trace?.fail(watch, from, flat.at, () => values(frame));
      return stop;
    };
  }

  private head(clause: FlatClause, bound: Bound, watch?: ClauseOfRule): Exec {
    const hoisted: Hoisted[] = [];
    const path = clause.path.map((step) => this.hoist(step, hoisted));
    const value = this.hoist(clause.value, hoisted);
    const solved = (exec: Exec) => (watch ? this.solved(watch, clause, bound, exec) : exec);
    return this.hoists(hoisted, bound, () =>
      solved(this.rule.kind === 'value' ? this.value(value, bound, clause.at) : this.entry(path, value, bound)),
    );
  }

  private solved(watch: ClauseOfRule, { value, body }: FlatClause, bound: Bound, exec: Exec): Exec {
    const result = this.evaluator(value, bound);
    const values = this.valuesOf(termsOfValue(value, body), bound);
    return (frame) => {
      const found = result(frame);
      if (found !== undefined) frame.context.run.trace?.hold(watch, found, () => values(frame));
      return exec(frame);
    };
  }

  private valuesOf(terms: readonly WatchedTerm[], bound: Bound): (frame: Frame) => TermValue[] {
    const read = terms.map(({ term, text }) => ({ text, value: this.evaluator(term, bound) }));
    return (frame) => read.map(({ text, value }) => ({ term: text, value: value(frame) }));
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
