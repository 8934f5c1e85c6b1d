import type { Location } from '../errors.ts';
import type { Expression, Literal, Operand, With } from './ast.ts';
import { LogicParser } from './logic.ts';

/** Expressions of one body. Each calls the next, so all of them share the stack. */
const MAX_LITERALS = 1000;

/** Parses the literals of bodies. */
export class BodyParser extends LogicParser {
  protected override body(end: string): Literal[] {
    return this.deeper(() => {
      const literals: Literal[] = [];
      while (this.accept(';'));
      if (this.isMark(end)) throw this.unexpected('expression');
      for (;;) {
        if (literals.length >= MAX_LITERALS) throw this.error(`more than ${MAX_LITERALS} expressions in one body`);
        literals.push(this.literal());
        const separated = this.isMark(';') || this.token.newline;
        while (this.accept(';'));
        if (this.accept(end)) return literals;
        if (!separated || this.token.kind === 'end') throw this.unexpected(`newline, ";" or ${JSON.stringify(end)}`);
      }
    });
  }

  /** Parses literals up to the end of the source. */
  protected bodyToEnd(): Literal[] {
    const literals: Literal[] = [];
    for (;;) {
      literals.push(this.literal());
      const separated = this.isMark(';') || this.token.newline;
      while (this.accept(';'));
      if (this.token.kind === 'end') return literals;
      if (!separated) throw this.unexpected('end of source');
    }
  }

  protected literal(): Literal {
    const at = this.location;
    this.allowKeyword();
    const led = this.ledByBracket();
    if (led !== null) return this.joined(led, at);
    if (this.isStart('some')) return { negated: false, expression: this.some(), withs: this.withs(), at };
    if (this.isStart('every') && this.keywords.has('every')) {
      return { negated: false, expression: this.every(), withs: this.withs(), at };
    }
    return this.joined(this.simpleOperand(), at);
  }

  /** Parses what may follow an operand: `and`, `or` and `with`. */
  private joined(first: Operand, at: Location): Literal {
    const withs = this.withs();
    const { body, braced } = this.chain(first, at, withs.length > 0);
    const [literal] = body;
    if (literal === undefined || braced) throw this.unexpected('"and" or "or"');
    return { ...literal, withs: [...literal.withs, ...withs, ...this.withs()] };
  }

  protected override withs(): With[] {
    const withs: With[] = [];
    while (this.isStart('with')) {
      const at = this.location;
      this.advance();
      const target = this.primary();
      if (!this.acceptWord('as')) throw this.unexpected('"as"');
      withs.push({ target, value: this.term(), at });
    }
    return withs;
  }

  protected override expression(): Expression {
    const left = this.wideTerm();
    if (this.accept(':=')) return { type: 'assign', left, right: this.wideTerm() };
    if (this.accept('=')) return { type: 'unify', left, right: this.wideTerm() };
    return { type: 'term', term: left };
  }

  private some(): Expression {
    this.advance();
    const terms = [this.term(1)];
    while (this.accept(',')) terms.push(this.term(1));
    if (this.acceptWord('in')) {
      const [first, second] = terms;
      if (first === undefined || terms.length > 2) throw this.error('"some … in" takes one or two terms');
      const [key, value] = second === undefined ? [null, first] : [first, second];
      return { type: 'someIn', key, value, domain: this.term() };
    }
    const names = terms.map((term) => {
      if (term.type !== 'var') throw this.error('expected a variable after "some"', term.at);
      return term.name;
    });
    return { type: 'some', names };
  }

  private every(): Expression {
    this.advance();
    const first = this.variable();
    const second = this.accept(',') ? this.variable() : null;
    if (!this.acceptWord('in')) throw this.unexpected('"in"');
    const domain = this.term(1);
    this.expect('{');
    const body = this.body('}');
    return { type: 'every', key: second === null ? null : first, value: second ?? first, domain, body };
  }
}
