import type { Builtin } from '../builtins/registry.ts';
import { type Location, RegoError } from '../errors.ts';
import type { FlatClause, FlatRule } from '../plan/rules.ts';
import { subterms, type Term } from '../syntax/ast.ts';
import { typeName } from '../values/value.ts';
import { type Flat, flatBody } from './flat.ts';

/** Types that a term can have. Null means that nothing is known. */
type Kinds = ReadonlySet<string> | null;

const SCALARS = new Set(['null', 'boolean', 'number', 'string']);

/**
 * Finds expressions that never hold because of their types: operands of built-in functions, both sides of `=` and `==`,
 * and references into scalars. Values from input, data, rules and functions of the policy can have any type.
 * @throws RegoError `compile`
 */
export function checkTypes(rule: FlatRule, builtins: ReadonlyMap<string, Builtin>): void {
  for (let clause: FlatClause | null = rule.clause; clause !== null; clause = clause.otherwise) {
    // What a body says about an argument does not hold in the bodies after `else`.
    const types = new Types(builtins);
    types.body(clause.body);
    for (const term of [...clause.path, clause.value]) types.of(term);
  }
}

class Types {
  private readonly builtins: ReadonlyMap<string, Builtin>;
  private readonly variables = new Map<string, ReadonlySet<string>>();

  constructor(builtins: ReadonlyMap<string, Builtin>) {
    this.builtins = builtins;
  }

  body(flats: readonly Flat[]): void {
    for (const flat of flats) this.literal(flat);
  }

  /** Returns the known types of a term and checks everything inside the term. */
  of(term: Term): Kinds {
    switch (term.type) {
      case 'scalar':
        return new Set([typeName(term.value)]);
      case 'var':
        return this.variables.get(term.name) ?? null;
      case 'array':
      case 'set':
      case 'object':
        for (const part of subterms(term)) this.of(part);
        return new Set([term.type]);
      case 'comprehension':
        this.body(flatBody(term));
        if (term.key !== null) this.of(term.key);
        this.of(term.head);
        return new Set([term.kind]);
      case 'ref': {
        for (const step of term.path) this.of(step);
        const head = this.of(term.head);
        // `some x in "abc"` is no mistake of a type in OPA, but undefined.
        if (term.head.type !== 'scalar' && term.path.length > 0 && head?.isSubsetOf(SCALARS)) {
          throw new RegoError('compile', `undefined ref: a ${[...head].join(' or ')} has no elements`, term.at);
        }
        return null;
      }
      case 'call':
        return null;
    }
  }

  private literal({ expression, negated, withs, at }: Flat): void {
    for (const { value } of withs) this.of(value);
    switch (expression.type) {
      case 'term':
        this.of(expression.term);
        return;
      case 'every':
        this.of(expression.domain);
        this.body(expression.body);
        return;
      case 'not':
      case 'and':
      case 'or':
        for (const body of expression.bodies) this.body(body);
        return;
      case 'unify':
      case 'compare': {
        const left = this.of(expression.left);
        const right = this.of(expression.right);
        this.match(left, right, at);
        if (negated || expression.type === 'compare') return;
        this.learn(expression.left, right);
        this.learn(expression.right, left);
        return;
      }
      case 'call': {
        const args = expression.call.args.map((arg) => this.of(arg));
        const builtin =
          expression.call.name[0] === 'data' ? undefined : this.builtins.get(expression.call.name.join('.'));
        if (builtin === undefined || withs.length > 0) return;
        args.forEach((kinds, index) => {
          const wanted = kindsOf(builtin.args[index]);
          if (kinds === null || wanted === null || !kinds.isDisjointFrom(wanted)) return;
          const message = `${builtin.name}: invalid argument(s): ${[...kinds].join(' or ')} where ${[...wanted].join(' or ')} is wanted`;
          throw new RegoError('compile', message, at);
        });
        if (expression.out === null || builtin.relation === true) return;
        const result = kindsOf(builtin.result);
        this.match(this.of(expression.out), result, at);
        this.learn(expression.out, result);
      }
    }
  }

  private learn(term: Term, kinds: Kinds): void {
    if (term.type === 'var' && kinds !== null && !this.variables.has(term.name)) this.variables.set(term.name, kinds);
  }

  private match(left: Kinds, right: Kinds, at: Location): void {
    if (left === null || right === null || !left.isDisjointFrom(right)) return;
    throw new RegoError('compile', `match error: ${[...left].join(' or ')} and ${[...right].join(' or ')}`, at);
  }
}

function kindsOf(spec: string | undefined): Kinds {
  return spec === undefined || spec === 'any' ? null : new Set(spec.split('|'));
}
