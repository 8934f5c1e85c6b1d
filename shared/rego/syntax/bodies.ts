import type { Expression, Literal, With } from './ast.ts';
import { TermParser } from './terms.ts';

/** Expressions of one body. Each calls the next, so all of them share the stack. */
const MAX_LITERALS = 1000;

/** Parses the literals of bodies. */
export class BodyParser extends TermParser {
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
    const negated = this.acceptWord('not');
    if (negated && (this.isWord('some') || this.isWord('every') || this.isWord('not'))) {
      throw this.unexpected(`expression after "not"`);
    }
    const expression = this.expression();
    if (negated && expression.type === 'assign') throw this.error('":=" cannot be negated', at);
    return { negated, expression, withs: this.withs(), at };
  }

  private withs(): With[] {
    const withs: With[] = [];
    while (this.isWord('with')) {
      const at = this.location;
      this.advance();
      const target = this.primary();
      if (!this.acceptWord('as')) throw this.unexpected('"as"');
      withs.push({ target, value: this.term(), at });
    }
    return withs;
  }

  private expression(): Expression {
    if (this.isWord('some')) return this.some();
    if (this.isWord('every')) return this.every();
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
