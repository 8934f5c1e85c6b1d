import { type Location, RegoError } from '../errors.ts';
import type { Expression, Literal, Operand, With } from './ast.ts';
import { TermParser } from './terms.ts';

/** Parses `not`, `and` and `or` with their operands. */
export abstract class LogicParser extends TermParser {
  /** Whether `not` takes a body: the module imports the newer form. */
  protected notTakesBody = false;

  protected abstract expression(): Expression;
  protected abstract withs(): With[];

  private get hasLogic(): boolean {
    return this.keywords.has('and') || this.keywords.has('or');
  }

  private isOperator(): boolean {
    return this.isOperatorWord('and') || this.isOperatorWord('or');
  }

  /** Parses a body in braces before an operator, or a group in parentheses. Null where the brackets are a term. */
  protected ledByBracket(): Operand | null {
    if (!this.hasLogic) return null;
    if (this.isMark('{')) {
      const found = this.attempt(() => {
        const body = this.bracedBody();
        if (!this.isOperator()) throw this.unexpected('"and" or "or"');
        return body;
      });
      return found instanceof RegoError ? null : found;
    }
    return this.group(true);
  }

  /** Parses the operators and operands after the first operand. `and` binds tighter than `or`. */
  protected chain(first: Operand, at: Location, hasWith: boolean): Operand {
    if (!this.isOperator()) return first;
    if (hasWith) throw this.error('"with" is not allowed on an operand without braces or parentheses', at);
    let left = this.conjunction(first, at);
    while (this.isOperatorWord('or')) {
      const right = this.conjunction(this.nextOperand(), this.location);
      left = logic('or', left, right, at);
    }
    return left;
  }

  private conjunction(first: Operand, at: Location): Operand {
    let left = first;
    while (this.isOperatorWord('and')) left = logic('and', left, this.nextOperand(), at);
    return left;
  }

  private nextOperand(): Operand {
    this.advance();
    return this.deeper(() => this.operand());
  }

  private operand(): Operand {
    if (this.isMark('{')) return this.bracedBody();
    return this.group(false) ?? this.simpleOperand();
  }

  /** Parses an expression, which may be negated. */
  protected simpleOperand(): Operand {
    const at = this.location;
    const brace = this.isMark('{');
    if (!this.isStart('not')) {
      const operand = single({ negated: false, expression: this.expression(), withs: [], at });
      if (brace && this.isOperator()) throw this.error('an operand in braces must be a body', at);
      return operand;
    }
    this.advance();
    if (this.isStart('some') || this.isStart('every') || this.isStart('not')) {
      throw this.unexpected('expression after "not"');
    }
    if (!this.notTakesBody) {
      const expression = this.expression();
      if (expression.type === 'assign') throw this.error('":=" cannot be negated', at);
      return single({ negated: true, expression, withs: [], at });
    }
    return single({ negated: false, expression: { type: 'not', operand: this.negatedOperand() }, withs: [], at });
  }

  private negatedOperand(): Operand {
    if (this.isMark('{')) return this.bracedBody();
    const group = this.group(false);
    if (group !== null) return group;
    const at = this.location;
    return single({ negated: false, expression: this.expression(), withs: [], at });
  }

  private bracedBody(): Operand {
    const at = this.location;
    this.expect('{');
    const parenthesized = this.isMark('(');
    const body = this.body('}');
    if (!parenthesized && isUnion(body[0])) {
      throw this.error(
        'this can be a body or a comprehension: put parentheses around the union or around the braces',
        at,
      );
    }
    return { body, braced: true };
  }

  /**
   * Parses operators or one negated operand in parentheses. Returns null where the parentheses hold a term.
   * @param leads whether the group is the start of a literal, where one operand with `with` is no group by itself
   */
  private group(leads: boolean): Operand | null {
    if (!this.isMark('(')) return null;
    const found = this.attempt(() => this.deeper(() => this.groupedOperand(leads)));
    return found instanceof RegoError ? null : found;
  }

  private groupedOperand(leads: boolean): Operand {
    const at = this.location;
    this.expect('(');
    const first = this.operand();
    const whole = this.chain(first, at, false);
    const [literal] = whole.body;
    if (literal === undefined || whole.braced) throw this.unexpected('"and" or "or"');
    const withs = this.withs();
    this.expect(')');
    if (withs.length > 0) {
      if (whole === first && leads && !this.isOperator()) throw this.unexpected('"and" or "or"');
      return single({ ...literal, withs: [...literal.withs, ...withs] });
    }
    const { type } = literal.expression;
    if (type !== 'logic' && type !== 'not' && !literal.negated) throw this.unexpected('"and" or "or"');
    return whole;
  }
}

function single(literal: Literal): Operand {
  return { body: [literal], braced: false };
}

function logic(operator: 'and' | 'or', left: Operand, right: Operand, at: Location): Operand {
  for (const { body } of [left, right]) {
    if (body.every(isPrint)) {
      throw new RegoError('parse', `an operand of "${operator}" cannot consist of calls of print only`, at);
    }
  }
  return single({ negated: false, expression: { type: 'logic', operator, left, right }, withs: [], at });
}

function isUnion(literal: Literal | undefined): boolean {
  if (literal?.expression.type !== 'term' || literal.expression.term.type !== 'call') return false;
  const { operator, name } = literal.expression.term;
  return operator && name[0] === 'or';
}

function isPrint({ negated, expression }: Literal): boolean {
  if (negated || expression.type !== 'term' || expression.term.type !== 'call') return false;
  return expression.term.name.join('.') === 'print';
}
