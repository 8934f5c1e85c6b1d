import type { Flat, FlatExpression } from '../compile/flat.ts';
import type { Exec } from '../run/context.ts';
import type { Term, With } from '../syntax/ast.ts';
import { isCollection } from '../values/value.ts';
import { entries, PatternPlanner } from './patterns.ts';
import type { Bound } from './space.ts';
import type { Hoisted } from './terms.ts';

/** Plans literals: statements, comparison, negation and `every`. */
export abstract class LiteralPlanner extends PatternPlanner {
  protected abstract call(expression: Extract<FlatExpression, { type: 'call' }>, bound: Bound, next: () => Exec): Exec;
  protected abstract withs(
    withs: readonly With[],
    bound: Bound,
    inside: (next: () => Exec) => Exec,
    next: () => Exec,
  ): Exec;

  protected override literals(ordered: readonly Flat[], bound: Bound, next: () => Exec, from = 0): Exec {
    const flat = ordered[from];
    if (flat === undefined) return next();
    const rest = () => this.literals(ordered, bound, next, from + 1);
    if (flat.withs.length === 0) return this.literal(flat, bound, rest);
    return this.withs(flat.withs, bound, (leave) => this.literal(flat, bound, leave), rest);
  }

  private literal(flat: Flat, bound: Bound, next: () => Exec): Exec {
    const hoisted: Hoisted[] = [];
    const expression = this.prepared(flat.expression, hoisted);
    return this.hoists(hoisted, bound, () => {
      if (!flat.negated) return this.expression(expression, bound, next);
      const found = this.expression(expression, new Set(bound), () => () => true);
      const rest = next();
      return (frame) => {
        frame.context.run.budget.spend();
        return found(frame) ? false : rest(frame);
      };
    });
  }

  /** Moves references in front of their expression, also in front of a negated one. OPA evaluates them there. */
  private prepared(expression: FlatExpression, hoisted: Hoisted[]): FlatExpression {
    const side = (term: Term): Term =>
      term.type === 'ref' ? this.hoistPath(term, hoisted) : this.hoist(term, hoisted);
    switch (expression.type) {
      case 'term':
        return { type: 'term', term: side(expression.term) };
      case 'unify':
      case 'compare':
        return { ...expression, left: side(expression.left), right: side(expression.right) };
      case 'call': {
        const args = expression.call.args.map((arg) => this.hoist(arg, hoisted));
        return { ...expression, call: { ...expression.call, args } };
      }
      case 'every':
        return { ...expression, domain: this.hoist(expression.domain, hoisted) };
      case 'not':
      case 'and':
      case 'or':
        return expression;
    }
  }

  private expression(expression: FlatExpression, bound: Bound, next: () => Exec): Exec {
    switch (expression.type) {
      case 'term':
        return this.statement(expression.term, bound, next);
      case 'unify':
      // Both sides are bound here, except for variables in references, which walk as in a unification.
      case 'compare':
        return this.unify([[expression.left, expression.right]], bound, next);
      case 'call':
        return this.call(expression, bound, next);
      case 'every':
        return this.every(expression, bound, next);
      case 'not':
      case 'and':
      case 'or':
        return this.operands(expression, bound, next);
    }
  }

  /** Plans `not`, `and` and `or`. Each operand is asked for one solution and binds nothing outside. */
  private operands(
    { type, bodies }: Extract<FlatExpression, { bodies: unknown }>,
    bound: Bound,
    next: () => Exec,
  ): Exec {
    const [left, right] = bodies.map((body) => this.inner(body, new Set(bound), 1, () => () => true));
    const rest = next();
    if (left === undefined) return rest;
    return (frame) => {
      frame.context.run.budget.spend();
      const first = left(frame);
      if (type === 'not') return first ? false : rest(frame);
      if (right === undefined || first === (type === 'or')) return first && rest(frame);
      return right(frame) && rest(frame);
    };
  }

  private statement(term: Term, bound: Bound, next: () => Exec): Exec {
    if (term.type === 'ref' && !this.isBound(term, bound)) {
      return this.walk(term, bound, () => {
        const rest = next();
        return (frame, value) => value !== false && rest(frame);
      });
    }
    const value = this.evaluator(term, bound);
    const rest = next();
    return (frame) => {
      frame.context.run.budget.spend();
      const found = value(frame);
      return found !== undefined && found !== false && rest(frame);
    };
  }

  private every(expression: Extract<FlatExpression, { type: 'every' }>, bound: Bound, next: () => Exec): Exec {
    const domain = this.evaluator(expression.domain, bound);
    const inner = new Set(bound).add(expression.value);
    const value = this.space.slot(expression.value);
    const key = expression.key === null ? null : this.space.slot(expression.key);
    if (expression.key !== null) inner.add(expression.key);
    const body = this.inner(expression.body, inner, 2, () => () => true);
    const rest = next();
    return (frame) => {
      const collection = domain(frame);
      if (!isCollection(collection)) return false;
      for (const [name, element] of entries(collection)) {
        frame.context.run.budget.spend();
        frame.slots[value] = element;
        if (key !== null) frame.slots[key] = name;
        if (!body(frame)) return false;
      }
      return rest(frame);
    };
  }
}
