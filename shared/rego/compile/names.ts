import { RegoError } from '../errors.ts';
import { type Expression, type Literal, type Operand, subterms, type Term } from '../syntax/ast.ts';

/** Returns the variables that an expression declares in its body. */
export function declarations(expression: Expression): Iterable<string> {
  if (expression.type === 'some') return expression.names;
  if (expression.type === 'assign') return patternNames(expression.left);
  if (expression.type !== 'someIn') return [];
  return [...patternNames(expression.value), ...(expression.key === null ? [] : patternNames(expression.key))];
}

/** Returns the variables that a pattern declares. Keys of objects and references declare none. */
export function patternNames(term: Term): string[] {
  if (term.type === 'var') return term.name === '_' ? [] : [term.name];
  if (term.type === 'array') return term.items.flatMap(patternNames);
  return term.type === 'object' ? term.pairs.flatMap(([, value]) => patternNames(value)) : [];
}

/** Checks the left side of `:=`. */
export function assertPattern(term: Term): void {
  if (term.type !== 'var' && term.type !== 'array' && term.type !== 'object') {
    throw new RegoError('compile', `cannot assign to ${term.type}`, term.at);
  }
}

/** Returns the names that a literal uses outside the scopes inside it. */
export function directNames({ expression, withs }: Literal): string[] {
  // A bare name after `as` may be a function. If it is a variable, it also stands elsewhere in the body.
  const values = withs.map(({ value }) => value).filter(({ type }) => type !== 'var' && type !== 'ref');
  return [...values.flatMap(namesOf), ...expressionNames(expression)];
}

function expressionNames(expression: Expression): string[] {
  switch (expression.type) {
    case 'term':
      return namesOf(expression.term);
    case 'unify':
    case 'assign':
      return [...namesOf(expression.left), ...namesOf(expression.right)];
    case 'someIn':
    case 'every':
      return namesOf(expression.domain);
    case 'not':
      return operandNames(expression.operand);
    case 'logic':
      return [...operandNames(expression.left), ...operandNames(expression.right)];
    case 'some':
      return [];
  }
}

function operandNames({ body, braced }: Operand): string[] {
  return braced ? [] : body.flatMap(directNames);
}

/** Returns the names that a term uses outside of the scopes inside it. */
export function namesOf(term: Term): string[] {
  if (term.type === 'var') return term.name === '_' ? [] : [term.name];
  if (term.type === 'comprehension') return term.part ? term.body.flatMap(partNames) : [];
  return subterms(term).flatMap(namesOf);
}

/** The left side is the variable of the part, which no body shares. */
function partNames({ expression }: Literal): string[] {
  return expression.type === 'unify' ? namesOf(expression.right) : [];
}
