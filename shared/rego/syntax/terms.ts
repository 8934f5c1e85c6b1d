import { RegoError } from '../errors.ts';
import { parseNumber } from '../values/decimal.ts';
import { plainText } from '../values/text.ts';
import type { Comprehension, Literal, Location, Term } from './ast.ts';
import { Cursor } from './cursor.ts';

interface Operator {
  readonly level: number;
  readonly name: string;
}

const OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ['==', { level: 1, name: 'equal' }],
  ['!=', { level: 1, name: 'neq' }],
  ['<', { level: 1, name: 'lt' }],
  ['<=', { level: 1, name: 'lte' }],
  ['>', { level: 1, name: 'gt' }],
  ['>=', { level: 1, name: 'gte' }],
  ['|', { level: 2, name: 'or' }],
  ['&', { level: 3, name: 'and' }],
  ['+', { level: 4, name: 'plus' }],
  ['-', { level: 4, name: 'minus' }],
  ['*', { level: 5, name: 'mul' }],
  ['/', { level: 5, name: 'div' }],
  ['%', { level: 5, name: 'rem' }],
]);

/** The level of membership, which binds weakest. */
const MEMBERSHIP_LEVEL = 0;

/** Operators of one level in a row. Each operator makes the term one level deeper. */
const MAX_OPERATORS = 500;

/** The lowest level of an operand of `in`. */
const RELATION_LEVEL = 1;

/** Parses terms: literals, collections, comprehensions, references, calls and operators. */
export abstract class TermParser extends Cursor {
  /** Parses literals until `end`, which is consumed. */
  protected abstract body(end: string): Literal[];
  protected abstract literal(): Literal;

  /** Parses a term with operators. The caller parses operators below `level`. */
  protected term(level = MEMBERSHIP_LEVEL): Term {
    return this.deeper(() => this.operators(this.primary(), level));
  }

  /** Parses a term that may be `k, v in collection`. */
  protected wideTerm(): Term {
    const at = this.location;
    const first = this.term();
    if (!this.isMark(',')) return first;
    const found = this.attempt(() => {
      this.expect(',');
      const value = this.term(RELATION_LEVEL);
      if (!this.acceptWord('in')) throw this.unexpected('"in"');
      return call('internal.member_3', [first, value, this.term(RELATION_LEVEL)], at);
    });
    return found instanceof RegoError ? first : this.operators(found, MEMBERSHIP_LEVEL);
  }

  /** Parses the operators after a term. */
  protected operators(first: Term, level: number): Term {
    let left = first;
    for (let count = 0; ; count += 1) {
      if (count > MAX_OPERATORS) throw this.error(`more than ${MAX_OPERATORS} operators in a row`);
      if (level <= MEMBERSHIP_LEVEL && this.isOperatorWord('in')) {
        this.advance();
        left = call('internal.member_2', [left, this.term(RELATION_LEVEL)], left.at);
        continue;
      }
      const operator = this.token.kind === 'mark' ? OPERATORS.get(this.token.text) : undefined;
      if (operator === undefined || operator.level < level) return left;
      this.advance();
      left = call(operator.name, [left, this.term(operator.level + 1)], left.at);
    }
  }

  /** Parses a term without operators around it. */
  protected primary(): Term {
    const token = this.token;
    const at = this.location;
    if (token.kind === 'number') return { type: 'scalar', value: this.advance().number, at };
    if (token.kind === 'string') return this.suffixes({ type: 'scalar', value: this.advance().text, at });
    if (token.kind === 'templateStart') return this.suffixes(this.template(at));
    if (token.kind === 'mark') return this.bracketed(at);
    if (token.kind !== 'name') throw this.unexpected('term');
    if (!this.isVariable()) {
      if (token.text === 'null') return this.scalar(null, at);
      if (token.text === 'true') return this.scalar(true, at);
      if (token.text === 'false') return this.scalar(false, at);
    }
    if (token.text === 'set' && this.isFollowedTightly('(') && this.peek(2).text === ')') return this.emptySet(at);
    return this.suffixes({ type: 'var', name: this.variable(), at });
  }

  /** Parses `.name`, `[term]` and `(args)` directly after a term. */
  protected suffixes(head: Term): Term {
    let whole = head;
    let path: Term[] = [];
    for (;;) {
      if (this.isTight('.')) {
        this.advance();
        const at = this.location;
        if (this.token.kind !== 'name' || this.token.space) throw this.unexpected('name');
        path.push({ type: 'scalar', value: this.advance().text, at });
      } else if (this.isTight('[')) {
        this.advance();
        path.push(this.term());
        this.expect(']');
      } else if (this.isTight('(')) {
        const name = dotted(whole, path);
        if (name === null) throw this.error('only names can be called');
        whole = { type: 'call', name, args: this.args(), operator: false, at: head.at };
        path = [];
      } else {
        if (path.length === 0) return whole;
        if (whole.type === 'scalar') throw this.error('a constant has no elements', head.at);
        return { type: 'ref', head: whole, path, at: head.at };
      }
    }
  }

  /** Parses arguments in parentheses. */
  protected args(): Term[] {
    this.expect('(');
    return this.list(')', []);
  }

  /** Parses terms up to `end`, which is consumed. A comma may stand before `end`. */
  private list(end: string, begun: Term[]): Term[] {
    const items = begun;
    for (;;) {
      if (this.accept(end)) return items;
      items.push(this.term());
      if (!this.isMark(end)) this.expect(',');
    }
  }

  /** Parses the parts of a template. The term is a call with the texts and, as sets, the values between them. */
  private template(at: Location): Term {
    const items: Term[] = [];
    for (;;) {
      const place = this.location;
      const { kind, text } = this.advance();
      if (text !== '') items.push({ type: 'scalar', value: text, at: place });
      if (kind === 'templateEnd') return joined(items, at);
      items.push(this.deeper(() => this.part()));
      if (this.token.kind !== 'templateMiddle' && this.token.kind !== 'templateEnd') throw this.unexpected('"}"');
    }
  }

  private part(): Term {
    const literal = this.literal();
    const { expression, negated, at } = literal;
    if (expression.type !== 'term' || negated) throw this.error('a part of a template must be a term', at);
    if (expression.term.type === 'scalar' && literal.withs.length === 0) return expression.term;
    const head: Term = { type: 'var', name: 'part', at };
    const found: Literal = { ...literal, expression: { type: 'unify', left: head, right: expression.term } };
    return { type: 'comprehension', kind: 'set', key: null, head, body: [found], part: true, at };
  }

  private scalar(value: null | boolean, at: Location): Term {
    this.advance();
    return { type: 'scalar', value, at };
  }

  private emptySet(at: Location): Term {
    for (let count = 0; count < 3; count += 1) this.advance();
    return this.suffixes({ type: 'set', items: [], at });
  }

  private bracketed(at: Location): Term {
    switch (this.token.text) {
      case '[':
        return this.suffixes(this.deeper(() => this.array(at)));
      case '{':
        return this.suffixes(this.deeper(() => this.setOrObject(at)));
      case '(': {
        this.advance();
        const inner = this.wideTerm();
        this.expect(')');
        return inner.type === 'call' ? inner : this.suffixes(inner);
      }
      case '-': {
        this.advance();
        if (this.token.kind === 'number') return this.negative(at);
        if (this.isMark('-')) throw this.unexpected('number');
        const operand = this.deeper(() => this.primary());
        return call('minus', [{ type: 'scalar', value: 0, at }, operand], at);
      }
      default:
        throw this.unexpected('term');
    }
  }

  private negative(at: Location): Term {
    const { text } = this.advance();
    const value = parseNumber(`-${text.startsWith('.') ? `0${text}` : text}`);
    if (value === null) throw this.error('number out of range', at);
    return { type: 'scalar', value, at };
  }

  private array(at: Location): Term {
    this.expect('[');
    if (this.isMark(']')) return { type: 'array', items: this.list(']', []), at };
    const head = this.primary();
    const found = this.comprehension('array', null, head, ']', at);
    if (found !== null) return found;
    const first = this.operators(head, MEMBERSHIP_LEVEL);
    if (!this.isMark(']')) this.expect(',');
    return { type: 'array', items: this.list(']', [first]), at };
  }

  private setOrObject(at: Location): Term {
    this.expect('{');
    if (this.accept('}')) return { type: 'object', pairs: [], at };
    const head = this.primary();
    const found = this.comprehension('set', null, head, '}', at);
    if (found !== null) return found;
    const first = this.operators(head, MEMBERSHIP_LEVEL);
    if (this.accept(':')) return this.object(first, at);
    if (!this.isMark('}')) this.expect(',');
    return { type: 'set', items: this.list('}', [first]), at };
  }

  private object(key: Term, at: Location): Term {
    const head = this.primary();
    const found = this.comprehension('object', key, head, '}', at);
    if (found !== null) return found;
    const pairs: [Term, Term][] = [[key, this.operators(head, MEMBERSHIP_LEVEL)]];
    for (;;) {
      if (!this.isMark('}')) this.expect(',');
      if (this.accept('}')) return { type: 'object', pairs, at };
      const name = this.term();
      this.expect(':');
      pairs.push([name, this.term()]);
    }
  }

  /** Parses the part after `head |`. Returns null where the bar is the union operator. */
  private comprehension(
    kind: Comprehension['kind'],
    key: Term | null,
    head: Term,
    end: string,
    at: Location,
  ): Comprehension | null {
    if (!this.isMark('|')) return null;
    const body = this.attempt(() => {
      this.advance();
      return this.body(end);
    });
    if (!(body instanceof RegoError)) return { type: 'comprehension', kind, key, head, body, at };
    const union = this.attempt(() => {
      const mark = this.mark();
      this.operators(head, MEMBERSHIP_LEVEL);
      if (!this.isMark(end) && !this.isMark(',') && !this.isMark(':')) throw body;
      this.reset(mark);
    });
    if (union instanceof RegoError) throw body;
    return null;
  }
}

/** Joins the parts of a template: at once where all are constant, else by a call. */
function joined(items: readonly Term[], at: Location): Term {
  const texts = items.map((item) => (item.type === 'scalar' ? plainText(item.value) : null));
  if (texts.every((text) => text !== null)) return { type: 'scalar', value: texts.join(''), at };
  return call('internal.template_string', [{ type: 'array', items, at }], at);
}

/** Builds the call that an operator stands for. */
function call(name: string, args: readonly Term[], at: Location): Term {
  return { type: 'call', name: name.split('.'), args, operator: true, at };
}

/** Returns the names of a dotted path, or null for another term. */
function dotted(head: Term, path: readonly Term[]): string[] | null {
  if (head.type !== 'var') return null;
  const names = [head.name];
  for (const step of path) {
    if (step.type !== 'scalar' || typeof step.value !== 'string') return null;
    names.push(step.value);
  }
  return names;
}
