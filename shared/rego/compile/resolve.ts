import { type Location, RegoError } from '../errors.ts';
import {
  type Comprehension,
  type Expression,
  type Literal,
  mapTerms,
  type Operand,
  subterms,
  type Term,
  type With,
} from '../syntax/ast.ts';
import { assertPattern, declarations, directNames, namesOf, patternNames } from './names.ts';
import { type Globals, type Names, Scope } from './scope.ts';

/**
 * Resolves names: variables become unique ({@link Names}), names of rules and imports become references from `data` or
 * `input`, calls of rules get their full path. Terms that contain a body are resolved together with it.
 */
export class Resolver {
  private readonly globals: Globals;
  private readonly names: Names;

  constructor(globals: Globals, names: Names) {
    this.globals = globals;
    this.names = names;
  }

  scope(outer: Scope | null): Scope {
    return Scope.of(this.names, outer);
  }

  /** Resolves a body in a new scope. The caller resolves the heads in the same scope afterwards. */
  body(literals: readonly Literal[], scope: Scope): Literal[] {
    const explicit = new Set<string>();
    for (const { expression } of literals) for (const name of declarations(expression)) explicit.add(name);
    for (const literal of literals) {
      for (const name of directNames(literal)) {
        if (!explicit.has(name) && scope.find(name) === null && !this.isGlobal(name)) scope.imply(name);
      }
    }
    return literals.flatMap((literal) => this.literal(literal, scope));
  }

  /** Resolves arguments. Each variable in them is new. */
  args(args: readonly Term[], scope: Scope): Term[] {
    const names = new Set<string>();
    for (const arg of args) this.assertArgument(arg);
    for (const arg of args) for (const name of patternNames(arg)) names.add(name);
    for (const name of names) scope.declare(name, args[0]?.at ?? UNKNOWN, 'declared');
    // As in OPA, a name in a template is a variable of the body, also where a rule has that name.
    for (const name of args.flatMap(namesOf)) {
      if (name !== 'data' && name !== 'input' && scope.find(name) === null) scope.imply(name);
    }
    // The calls in them become part of the bodies below.
    const inside = Scope.inside(scope);
    return args.map((arg) => this.term(arg, inside));
  }

  /** Arguments are patterns. Only templates and comprehensions in them may read documents and call functions. */
  private assertArgument(arg: Term): void {
    if (arg.type === 'call') {
      if (arg.name.join('.') === 'internal.template_string') return;
      throw new RegoError('compile', 'arguments of a rule cannot contain calls', arg.at);
    }
    if (arg.type !== 'ref') for (const part of subterms(arg)) this.assertArgument(part);
    else if (arg.head.type === 'var' && this.isGlobal(arg.head.name)) {
      throw new RegoError('compile', `var ${arg.head.name} is unsafe`, arg.at);
    }
  }

  private isGlobal(name: string): boolean {
    return name === 'data' || name === 'input' || this.globals.has(name);
  }

  private literal(literal: Literal, scope: Scope): Literal[] {
    const { expression, at } = literal;
    const withs = literal.withs.map((one) => this.with(one, scope));
    if (expression.type === 'some') {
      for (const name of expression.names) if (name !== '_') scope.declare(name, at, 'declared');
      return [];
    }
    return [{ ...literal, withs, expression: this.expression(expression, scope, at) }];
  }

  private expression(expression: Exclude<Expression, { type: 'some' }>, scope: Scope, at: Location): Expression {
    switch (expression.type) {
      case 'term':
        return { type: 'term', term: this.term(expression.term, scope) };
      case 'unify':
        return { type: 'unify', left: this.term(expression.left, scope), right: this.term(expression.right, scope) };
      case 'assign': {
        const right = this.term(expression.right, scope);
        assertPattern(expression.left);
        for (const name of patternNames(expression.left)) scope.declare(name, at, 'assigned');
        return { type: 'unify', left: this.term(expression.left, scope), right };
      }
      case 'someIn':
        return this.someIn(expression, scope, at);
      case 'every':
        return this.every(expression, scope, at);
      case 'not':
        return { type: 'not', operand: this.operand(expression.operand, scope) };
      case 'logic': {
        const left = this.operand(expression.left, scope);
        return { ...expression, left, right: this.operand(expression.right, scope) };
      }
    }
  }

  /** An operand in braces has a scope of its own. Another one declares nothing, so its names belong outside. */
  private operand({ body, braced }: Operand, outer: Scope): Operand {
    if (braced) return { body: this.body(body, this.scope(outer)), braced };
    for (const { expression, at } of body) {
      if (expression.type === 'assign')
        throw new RegoError('compile', 'cannot assign in an operand without braces', at);
    }
    const scope = Scope.inside(outer);
    return { body: body.flatMap((literal) => this.literal(literal, scope)), braced };
  }

  /** Resolves `some k, v in domain`, which walks the domain like `domain[k] = v`. */
  private someIn(expression: Extract<Expression, { type: 'someIn' }>, scope: Scope, at: Location): Expression {
    const domain = this.term(expression.domain, scope);
    const patterns = expression.key === null ? [expression.value] : [expression.key, expression.value];
    const names = new Set(patterns.flatMap((pattern) => [...patternNames(pattern)]));
    for (const name of names) scope.declare(name, at, 'declared');
    const wildcard: Term = { type: 'var', name: '_', at };
    const key = this.term(expression.key ?? wildcard, scope);
    const value = this.term(expression.value, scope);
    const walked: Term =
      domain.type === 'ref'
        ? { ...domain, path: [...domain.path, key] }
        : { type: 'ref', head: domain, path: [key], at: domain.at };
    return { type: 'unify', left: value, right: walked };
  }

  private every(expression: Extract<Expression, { type: 'every' }>, outer: Scope, at: Location): Expression {
    const domain = this.term(expression.domain, outer);
    const scope = this.scope(outer);
    const declare = (name: string): string => (name === '_' ? scope.wildcard() : scope.declare(name, at, 'declared'));
    const key = expression.key === null ? null : declare(expression.key);
    const value = declare(expression.value);
    const inner = this.scope(scope);
    return { type: 'every', key, value, domain, body: this.body(expression.body, inner) };
  }

  private with({ target, value, at }: With, scope: Scope): With {
    return { target: this.withTarget(target), value: this.term(value, scope, true), at };
  }

  /** Resolves a document or the name of a function. A function that is no rule keeps its dotted name. */
  private withTarget(target: Term): Term {
    const head = target.type === 'ref' ? target.head : target;
    if (head.type !== 'var') throw new RegoError('compile', 'with keyword target must be a reference', target.at);
    const global = this.globals.get(head.name);
    const path = target.type === 'ref' ? target.path : [];
    for (const step of path) {
      if (step.type !== 'scalar') throw new RegoError('compile', 'with keyword target must be ground', target.at);
    }
    return global === undefined ? target : reference(global, path, target.at);
  }

  /** @param mock whether an unknown name may be the name of a built-in function */
  term(term: Term, scope: Scope, mock = false): Term {
    switch (term.type) {
      case 'scalar':
        return term;
      case 'var':
        return this.variable(term.name, term.at, scope, mock);
      case 'ref': {
        const path = term.path.map((step) => this.term(step, scope));
        const head = this.term(term.head, scope, mock);
        return head.type === 'ref' ? { ...head, path: [...head.path, ...path] } : { ...term, head, path };
      }
      case 'array':
      case 'set':
      case 'object':
        return mapTerms(term, (one) => this.term(one, scope));
      case 'call':
        return { ...term, name: this.callee(term, scope), args: term.args.map((arg) => this.term(arg, scope)) };
      case 'comprehension': {
        if (term.part) return this.part(term, scope);
        const inner = this.scope(scope);
        const body = this.body(term.body, inner);
        const key = term.key === null ? null : this.term(term.key, inner);
        return { ...term, body, key, head: this.term(term.head, inner) };
      }
    }
  }

  /** Resolves an expression of a template. Only the variable for its value is its own. */
  private part(term: Comprehension, outer: Scope): Term {
    const scope = Scope.inside(outer);
    const head: Term = { type: 'var', name: this.names.make('part', scope.level), at: term.at };
    const body = term.body.map((literal): Literal => {
      if (literal.expression.type !== 'unify') throw new TypeError('a part of a template is one unification');
      const right = this.term(literal.expression.right, scope);
      const withs = literal.withs.map((one) => this.with(one, scope));
      return { ...literal, withs, expression: { type: 'unify', left: head, right } };
    });
    return { ...term, head, body };
  }

  private variable(name: string, at: Location, scope: Scope, mock: boolean): Term {
    if (name === '_') return { type: 'var', name: scope.wildcard(), at };
    scope.use(name);
    const known = scope.find(name);
    if (known !== null) return { type: 'var', name: known, at };
    if (name === 'data' || name === 'input') return { type: 'ref', head: { type: 'var', name, at }, path: [], at };
    const global = this.globals.get(name);
    if (global !== undefined) return reference(global, [], at);
    return { type: 'var', name: mock ? name : scope.imply(name), at };
  }

  private callee(term: Extract<Term, { type: 'call' }>, scope: Scope): readonly string[] {
    const [first = ''] = term.name;
    if (term.operator || first === 'data') return term.name;
    if (scope.find(first) !== null) {
      throw new RegoError('compile', `${term.name.join('.')} is a variable and cannot be called`, term.at);
    }
    const global = this.globals.get(first);
    return global === undefined ? term.name : [...global, ...term.name.slice(1)];
  }
}

const UNKNOWN: Location = { path: '', line: 0, column: 0 };

/** Builds a reference from a root document. */
function reference(names: readonly string[], path: readonly Term[], at: Location): Term {
  const [root = 'data', ...rest] = names;
  const steps = rest.map((name): Term => ({ type: 'scalar', value: name, at }));
  return { type: 'ref', head: { type: 'var', name: root, at }, path: [...steps, ...path], at };
}
