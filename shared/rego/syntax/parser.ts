import { RegoError } from '../errors.ts';
import {
  type Clause,
  type Dialect,
  type Import,
  type Literal,
  type Module,
  type Rule,
  subterms,
  type Term,
} from './ast.ts';
import { BodyParser } from './bodies.ts';

/** Names of the root documents. */
const ROOTS = new Set(['data', 'input']);

/**
 * Parses one module.
 * @throws RegoError `parse` with line and column, `budget` for sources beyond the limits
 */
export function parseModule(path: string, source: string, dialect: Dialect): Module {
  return new ModuleParser(path, source, dialect).module(source);
}

/** Parses the literals of a query. */
export function parseQuery(source: string): Literal[] {
  return new ModuleParser('query', source, 'v1').query();
}

class ModuleParser extends BodyParser {
  query(): Literal[] {
    return this.bodyToEnd();
  }

  module(text: string): Module {
    if (!this.acceptWord('package')) throw this.unexpected('"package"');
    const name = this.names();
    const imports: Import[] = [];
    const rules: Rule[] = [];
    while (this.token.kind !== 'end') {
      if (this.isStart('import')) imports.push(this.import());
      else if (this.isStart('default')) rules.push(this.defaultRule());
      else rules.push(...this.rule());
    }
    return { path: this.path, text, dialect: this.dialect, package: name, imports, rules };
  }

  /** Parses a path such as `a.b["c d"]` and returns its names. */
  private names(): string[] {
    const at = this.location;
    const term = this.suffixes({ type: 'var', name: this.variable(), at });
    const steps = term.type === 'ref' ? term.path : [];
    const head = term.type === 'ref' ? term.head : term;
    if (head.type !== 'var') throw this.error('expected a path of names', at);
    return [head.name, ...steps.map((step) => this.name(step))];
  }

  private name(step: Term): string {
    if (step.type !== 'scalar' || typeof step.value !== 'string') throw this.error('expected a name', step.at);
    return step.value;
  }

  private import(): Import {
    const at = this.location;
    this.advance();
    const path = this.names();
    const alias = this.acceptStart('as') ? this.variable() : null;
    if (alias !== null && ROOTS.has(alias)) throw this.error('unexpected import alias, must be a variable', at);
    const [root] = path;
    if (root !== 'data' && root !== 'input' && root !== 'future' && root !== 'rego') {
      throw this.error('unexpected import path, must begin with one of: {data, future, input, rego}', at);
    }
    const last = path.at(-1) ?? '';
    if (alias === null && (root === 'data' || root === 'input') && this.keywords.has(last)) {
      throw this.error(`import of the keyword ${last} needs an alias`, at);
    }
    this.addKeywords(path);
    return { path, alias, at };
  }

  /** Makes the words that an import names keywords of this module. The compiler refuses unknown imports. */
  private addKeywords(path: readonly string[]): void {
    for (const word of importedKeywords(path)) {
      this.keywords.add(word);
      if (word === 'not') this.notTakesBody = true;
    }
  }

  private defaultRule(): Rule {
    const at = this.location;
    this.advance();
    this.allowKeyword();
    const { name, args } = this.head();
    if (!this.accept(':=') && !this.accept('=')) throw this.unexpected('":=" or "="');
    const value = this.term(1);
    const illegal = illegalDefault(value);
    if (illegal !== null) throw this.error(`illegal default rule (value cannot contain ${illegal})`, value.at);
    if (this.isStart('if') || this.isMark('{') || this.isOperatorWord('in'))
      throw this.unexpected('end of default rule');
    return { default: true, name, args, member: null, clause: { value, body: [], otherwise: null, at }, at };
  }

  private head(): Pick<Rule, 'name' | 'args'> {
    const at = this.location;
    const name = this.variable();
    if (ROOTS.has(name) && !this.isTight('.')) {
      throw new RegoError('compile', `rules must not shadow ${name} (use a different rule name)`, at);
    }
    const path: Term[] = [];
    for (;;) {
      if (this.isTight('.')) {
        this.advance();
        const place = this.location;
        if (this.token.kind !== 'name') throw this.unexpected('name');
        path.push({ type: 'scalar', value: this.advance().text, at: place });
      } else if (this.isTight('[')) {
        this.advance();
        path.push(this.term());
        this.expect(']');
      } else {
        break;
      }
    }
    return { name: [name, ...path], args: this.isTight('(') ? this.args() : null };
  }

  private rule(): Rule[] {
    const at = this.location;
    this.allowKeyword();
    if (!this.isVariable()) throw this.unexpected('rule');
    const { name, args } = this.head();
    let member: Term | null = null;
    let value: Term | null = null;
    if (this.isWord('contains') && args === null) {
      this.advance();
      member = this.term();
    } else if (this.accept(':=') || this.accept('=')) {
      value = this.term();
    }
    const bare = value === null && member === null;
    const conditional = this.isStart('if');
    const body = this.ruleBody();
    if (bare && body === null && !(this.dialect === 'v0' && name.length > 1)) {
      throw this.error('a rule needs a value or a body', at);
    }
    if (this.dialect === 'v0' && bare && !conditional && args === null && name.length === 2) {
      const [first, key] = name;
      if (key === undefined) throw this.unexpected('key');
      const clause = { value: null, body: body ?? [], otherwise: null, at };
      return [
        { default: false, name: [first], args, member: key, clause, at },
        ...this.chained([first], args, key, null),
      ];
    }
    const otherwise = member === null && body !== null ? this.otherwise() : null;
    const clause: Clause = { value, body: body ?? [], otherwise, at };
    const rule: Rule = { default: false, name, args, member, clause, at };
    return otherwise === null && body !== null ? [rule, ...this.chained(name, args, member, value)] : [rule];
  }

  /** Parses further bodies of the same head: `p { … } { … }`. */
  private chained(name: Rule['name'], args: Rule['args'], member: Term | null, value: Term | null): Rule[] {
    const rules: Rule[] = [];
    while (this.isMark('{')) {
      const at = this.location;
      this.advance();
      const clause = { value, body: this.body('}'), otherwise: null, at };
      rules.push({ default: false, name, args, member, clause, at });
    }
    return rules;
  }

  /** Parses the body of a rule. Returns null where the rule has none. */
  private ruleBody(): Literal[] | null {
    if (this.acceptStart('if')) {
      if (!this.isMark('{')) return [this.literal()];
      const mark = this.mark();
      const single = this.attempt(() => this.literal());
      // A set is never undefined or false. So text that can be read as a set is meant as a body.
      if (!(single instanceof RegoError) && !isSet(single)) return [single];
      this.reset(mark);
      return this.braced();
    }
    if (!this.isMark('{')) return null;
    if (this.dialect === 'v1') throw this.error('`if` keyword is required before rule body');
    return this.braced();
  }

  private braced(): Literal[] {
    this.expect('{');
    return this.body('}');
  }

  private otherwise(): Clause | null {
    const at = this.location;
    if (!this.acceptStart('else')) return null;
    const value = this.accept(':=') || this.accept('=') ? this.term() : null;
    const body = this.ruleBody();
    if (value === null && body === null) throw this.unexpected('value or body after "else"');
    // A branch without a condition always holds, so no other branch can follow.
    const otherwise = body === null ? null : this.deeper(() => this.otherwise());
    return { value, body: body ?? [], otherwise, at };
  }
}

/** Keywords that modules of v0 import, and v1 has by itself. */
const V1_KEYWORDS = ['every', 'if', 'in'];

/** Keywords that modules of v1 import. `not` is a keyword anyway; imported, it takes a body. */
const V2_KEYWORDS = ['and', 'not', 'or'];

/** Returns the keywords that an import adds. `contains` is one by its place alone. */
function importedKeywords(path: readonly string[]): readonly string[] {
  const known = [...V1_KEYWORDS, ...V2_KEYWORDS];
  const [root, second, third] = path;
  if (root === 'rego') return second === 'v2' ? known : second === 'v1' ? V1_KEYWORDS : [];
  if (root !== 'future' || second !== 'keywords') return [];
  // The keyword `every` needs `in`.
  return known.filter((word) => third === undefined || word === third || (third === 'every' && word === 'in'));
}

function isSet({ expression, negated }: Literal): boolean {
  return !negated && expression.type === 'term' && expression.term.type === 'set';
}

/** Returns what a default value must not contain outside comprehensions, or null where the value is allowed. */
function illegalDefault(term: Term): 'var' | 'ref' | 'call' | null {
  if (term.type === 'var' || term.type === 'ref' || term.type === 'call') return term.type;
  for (const part of subterms(term)) {
    const illegal = illegalDefault(part);
    if (illegal !== null) return illegal;
  }
  return null;
}
