import { unknownFunction } from '../builtins/refused.ts';
import { RegoError } from '../errors.ts';
import { type CallTerm, type Literal, type Location, mapTerms, type Term, type With } from '../syntax/ast.ts';
import type { RuleMetadata } from './annotations.ts';
import type { Names } from './scope.ts';

/**
 * A literal whose nested calls were moved in front of it. OPA does the same. That is why `not f(g(x))` is undefined
 * where `g(x)` is undefined.
 */
export interface Flat {
  readonly negated: boolean;
  readonly withs: readonly With[];
  readonly at: Location;
  readonly expression: FlatExpression;
}

export type FlatExpression =
  | { readonly type: 'term'; readonly term: Term }
  | { readonly type: 'unify'; readonly left: Term; readonly right: Term }
  /** `==` as a statement. It reads both sides and binds neither. */
  | { readonly type: 'compare'; readonly left: Term; readonly right: Term }
  /** `out` receives the result. Without `out` the result must be neither false nor undefined. */
  | { readonly type: 'call'; readonly call: CallTerm; readonly out: Term | null }
  | {
      readonly type: 'every';
      readonly key: string | null;
      readonly value: string;
      readonly domain: Term;
      readonly body: readonly Flat[];
    }
  | { readonly type: 'not'; readonly bodies: readonly [readonly Flat[]] }
  | { readonly type: 'and' | 'or'; readonly bodies: readonly [readonly Flat[], readonly Flat[]] };

/** A comprehension after flattening: its body is flat, and its heads contain no calls. */
type FlatComprehension = Extract<Term, { type: 'comprehension' }> & { readonly flat: readonly Flat[] };

/** Returns the number of a function's arguments, or null for an unknown function. */
type ArityOf = (name: readonly string[]) => number | null;

/** Flattens the bodies of one rule. */
export class Flattener {
  private readonly names: Names;
  private readonly arityOf: ArityOf;
  private readonly metadata: RuleMetadata | null;

  /** @param metadata the annotations of the rule. A query has none */
  constructor(names: Names, arityOf: ArityOf, metadata: RuleMetadata | null) {
    this.names = names;
    this.arityOf = arityOf;
    this.metadata = metadata;
  }

  /** Flattens the bodies after `else`. */
  otherwise(): Flattener {
    return new Flattener(this.names, this.arityOf, this.metadata?.otherwise() ?? null);
  }

  /** @param level of the body, which owns the variables that are created */
  body(literals: readonly Literal[], level: number): Flat[] {
    return literals.flatMap((literal) => this.literal(literal, level));
  }

  /** Moves the calls out of a term. The literals that must run first are added to `before`. */
  term(term: Term, before: Flat[], level: number, withs: readonly With[] = []): Term {
    switch (term.type) {
      case 'scalar':
      case 'var':
        return term;
      case 'ref': {
        const head = this.term(term.head, before, level, withs);
        return { ...term, head, path: term.path.map((step) => this.term(step, before, level, withs)) };
      }
      case 'array':
      case 'set':
      case 'object':
        return mapTerms(term, (one) => this.term(one, before, level, withs));
      case 'call': {
        const annotations = term.args.length === 0 ? this.annotations(term) : null;
        if (annotations !== null) return annotations;
        const out: Term = { type: 'var', name: this.names.make('call', level), at: term.at };
        const call = this.call(term, before, level, withs);
        before.push({ negated: false, withs, at: term.at, expression: { type: 'call', call, out } });
        return out;
      }
      case 'comprehension':
        return this.comprehension(term, level + 1);
    }
  }

  private comprehension(term: Extract<Term, { type: 'comprehension' }>, level: number): FlatComprehension {
    const flat = this.body(term.body, level);
    const key = term.key === null ? null : this.term(term.key, flat, level);
    const head = this.term(term.head, flat, level);
    return { ...term, key, head, flat };
  }

  private literal(literal: Literal, level: number): Flat[] {
    const before: Flat[] = [];
    const withs = literal.withs.map((one) => ({ ...one, value: this.term(one.value, before, level) }));
    const expression = this.expression(literal, before, level, withs);
    before.push({ negated: literal.negated, withs, at: literal.at, expression });
    return before;
  }

  private expression({ expression }: Literal, before: Flat[], level: number, withs: readonly With[]): FlatExpression {
    switch (expression.type) {
      case 'term':
        return expression.term.type === 'call'
          ? this.statement(expression.term, before, level, withs)
          : { type: 'term', term: this.term(expression.term, before, level, withs) };
      case 'unify': {
        const left = this.term(expression.left, before, level, withs);
        return { type: 'unify', left, right: this.term(expression.right, before, level, withs) };
      }
      case 'every': {
        const domain = this.term(expression.domain, before, level, withs);
        return { ...expression, domain, body: this.body(expression.body, level + 2) };
      }
      case 'not':
        return { type: 'not', bodies: [this.body(expression.operand.body, level + 1)] };
      case 'logic': {
        const { operator, left, right } = expression;
        return { type: operator, bodies: [this.body(left.body, level + 1), this.body(right.body, level + 1)] };
      }
      default:
        throw new TypeError(`${expression.type} is settled when names are resolved`);
    }
  }

  private statement(term: CallTerm, before: Flat[], level: number, withs: readonly With[]): FlatExpression {
    // Printing is ignored. Its operands may be undefined without making the body undefined.
    if (term.name.join('.') === 'print') return { type: 'term', term: { type: 'scalar', value: true, at: term.at } };
    const annotations = term.args.length <= 1 ? this.annotations(term) : null;
    if (annotations !== null) {
      const [out] = term.args;
      if (out === undefined) return { type: 'term', term: annotations };
      return { type: 'unify', left: this.term(out, before, level, withs), right: annotations };
    }
    const call = this.call(term, before, level, withs);
    const [left, right] = call.args;
    if (term.operator && term.name[0] === 'equal' && left !== undefined && right !== undefined) {
      return { type: 'compare', left, right };
    }
    const last = call.args.at(-1);
    const captures = last !== undefined && this.arityOf(call.name) === call.args.length - 1;
    return captures
      ? { type: 'call', call: { ...call, args: call.args.slice(0, -1) }, out: last }
      : { type: 'call', call, out: null };
  }

  /** Returns the value of `rego.metadata.rule()` and `rego.metadata.chain()`, or null for other calls. */
  private annotations({ name, at }: CallTerm): Term | null {
    if (this.metadata === null || name[0] !== 'rego' || name[1] !== 'metadata' || name.length !== 3) return null;
    if (name[2] === 'rule') return { type: 'scalar', value: this.metadata.rule(), at };
    return name[2] === 'chain' ? { type: 'scalar', value: this.metadata.chain(), at } : null;
  }

  private call(term: CallTerm, before: Flat[], level: number, withs: readonly With[]): CallTerm {
    if (this.arityOf(term.name) === null) {
      const name = term.name.join('.');
      if (term.name[0] !== 'data') throw unknownFunction(name, term.at);
      throw new RegoError('compile', `undefined function ${name}`, term.at);
    }
    return { ...term, args: term.args.map((arg) => this.term(arg, before, level, withs)) };
  }
}

/** Returns the flat body of a comprehension that {@link Flattener} processed. */
export function flatBody(term: Extract<Term, { type: 'comprehension' }>): readonly Flat[] {
  // The flattener has replaced every comprehension by a flat one.
  return (term as FlatComprehension).flat;
}
