import type { Location } from '../errors.ts';
import type { Value } from '../values/value.ts';

export type { Location } from '../errors.ts';

/** A term as written, or as the compiler leaves it. Every node has its place. */
export type Term =
  | { readonly type: 'scalar'; readonly value: Value; readonly at: Location }
  | { readonly type: 'var'; readonly name: string; readonly at: Location }
  | RefTerm
  | { readonly type: 'array'; readonly items: readonly Term[]; readonly at: Location }
  | { readonly type: 'set'; readonly items: readonly Term[]; readonly at: Location }
  | { readonly type: 'object'; readonly pairs: readonly (readonly [Term, Term])[]; readonly at: Location }
  | CallTerm
  | Comprehension;

/** `head.path[0][path[1]]…`. A dotted name is a string scalar in the path. */
export interface RefTerm {
  readonly type: 'ref';
  readonly head: Term;
  readonly path: readonly Term[];
  readonly at: Location;
}

/** A call by dotted name. Operators have the names of their built-in functions (`plus`, `equal`, …). */
export interface CallTerm {
  readonly type: 'call';
  readonly name: readonly string[];
  readonly args: readonly Term[];
  /** Written as an operator, so no rule or import of that name can replace it. */
  readonly operator: boolean;
  readonly at: Location;
}

/** `[head | body]`, `{head | body}`, `{key: head | body}` */
export interface Comprehension {
  readonly type: 'comprehension';
  readonly kind: 'array' | 'set' | 'object';
  readonly key: Term | null;
  readonly head: Term;
  readonly body: readonly Literal[];
  /**
   * An expression of a template: a set with its value, or an empty set where it is undefined. The body is one literal
   * without variables of its own: its names belong to the body around the template.
   */
  readonly part?: true;
  readonly at: Location;
}

/** `with target as value` */
export interface With {
  readonly target: Term;
  readonly value: Term;
  readonly at: Location;
}

export type Expression =
  | { readonly type: 'term'; readonly term: Term }
  /** `=` */
  | { readonly type: 'unify'; readonly left: Term; readonly right: Term }
  /** `:=` */
  | { readonly type: 'assign'; readonly left: Term; readonly right: Term }
  /** `some a, b` */
  | { readonly type: 'some'; readonly names: readonly string[] }
  /** `some k, v in domain` */
  | { readonly type: 'someIn'; readonly key: Term | null; readonly value: Term; readonly domain: Term }
  | {
      readonly type: 'every';
      readonly key: string | null;
      readonly value: string;
      readonly domain: Term;
      readonly body: readonly Literal[];
    }
  /** `not` in modules that import it: it holds where its operand has no solution. */
  | { readonly type: 'not'; readonly operand: Operand }
  /** Has at most one solution and binds no variable outside of its operands. */
  | { readonly type: 'logic'; readonly operator: 'and' | 'or'; readonly left: Operand; readonly right: Operand };

/** An operand of `not`, `and` or `or`. */
export interface Operand {
  readonly body: readonly Literal[];
  /** Written in braces, so it has variables of its own. Otherwise it is one literal, whose names belong outside. */
  readonly braced: boolean;
}

/** One line of a body. */
export interface Literal {
  readonly negated: boolean;
  readonly expression: Expression;
  readonly withs: readonly With[];
  readonly at: Location;
}

/** A body with the value of its solutions, and the `else` branch for a body without a solution. */
export interface Clause {
  readonly value: Term | null;
  readonly body: readonly Literal[];
  readonly otherwise: Clause | null;
  readonly at: Location;
}

export interface Rule {
  readonly default: boolean;
  /** The name and the part after it: `p.q[x]`. */
  readonly name: readonly [string, ...Term[]];
  /** Null for rules without parentheses. */
  readonly args: readonly Term[] | null;
  /** The term after `contains`. */
  readonly member: Term | null;
  readonly clause: Clause;
  readonly at: Location;
}

export interface Import {
  readonly path: readonly string[];
  readonly alias: string | null;
  readonly at: Location;
}

export interface Module {
  readonly path: string;
  /** The source. Its annotations are read when a program asks for them. */
  readonly text: string;
  readonly dialect: Dialect;
  readonly package: readonly string[];
  readonly imports: readonly Import[];
  readonly rules: readonly Rule[];
}

/**
 * `v1` is the language that policies are written in. `v0` is the older language, in which `if` may be left out and
 * `p[x] { … }` defines a set. Only the conformance command reads it.
 */
export type Dialect = 'v1' | 'v0';

/** Returns the terms that stand directly in a term. Those of a comprehension are not among them: they lie in its scope. */
export function subterms(term: Term): readonly Term[] {
  switch (term.type) {
    case 'ref':
      return [term.head, ...term.path];
    case 'array':
    case 'set':
      return term.items;
    case 'object':
      return term.pairs.flat();
    case 'call':
      return term.args;
    default:
      return [];
  }
}

/** Returns an array, set or object with each of its terms changed. */
export function mapTerms(term: Extract<Term, { type: 'array' | 'set' | 'object' }>, change: (one: Term) => Term): Term {
  if (term.type !== 'object') return { ...term, items: term.items.map((item) => change(item)) };
  return { ...term, pairs: term.pairs.map(([key, value]) => [change(key), change(value)] as const) };
}
