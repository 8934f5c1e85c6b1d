import { namesOf } from '#shared/rego/compile/names.ts';
import type { Expression, Literal, Term } from '#shared/rego/syntax/ast.ts';
import { parseQuery } from '#shared/rego/syntax/parser.ts';

/**
 * A query in the form that the engine evaluates: one term.
 * - `value`: the query is one term without variables, and is evaluated as it is
 * - `rows`: the query is wrapped into a comprehension that collects one object of variables per result
 */
export interface Query {
  readonly form: 'value' | 'rows';
  readonly term: string;
  readonly variables: readonly string[];
}

/**
 * Prepares a query. The engine evaluates single terms only, so a query of several expressions, or with variables,
 * becomes `[{"x": x} | query]`.
 * @throws RegoError `parse`
 */
export function prepareQuery(source: string): Query {
  const literals = parseQuery(source);
  const variables = [...new Set(literals.flatMap(variablesOf))].filter((name) => name !== 'data' && name !== 'input');
  const [first, ...others] = literals;
  const single = others.length === 0 && first?.expression.type === 'term' && !first.negated && first.withs.length === 0;
  if (single && variables.length === 0) return { form: 'value', term: source, variables };
  return { form: 'rows', term: rowsTerm(source, variables), variables };
}

/** A term whose value is the list of a query's results. */
export function rowsTerm(source: string, variables: readonly string[]): string {
  const pairs = variables.map((name) => `${JSON.stringify(name)}: ${name}`);
  // The line end keeps a comment at the end of the query from swallowing the bracket.
  return `[{${pairs.join(', ')}} | ${source}\n]`;
}

/** Variables that a literal binds or uses outside comprehensions and `every`. */
function variablesOf({ expression }: Literal): string[] {
  return expression.type === 'some' ? [...expression.names] : termsOf(expression).flatMap(namesOf);
}

function termsOf(expression: Exclude<Expression, { type: 'some' }>): Term[] {
  switch (expression.type) {
    case 'term':
      return [expression.term];
    case 'unify':
    case 'assign':
      return [expression.left, expression.right];
    case 'someIn':
      return [...(expression.key === null ? [] : [expression.key]), expression.value, expression.domain];
    case 'every':
      return [expression.domain];
    case 'not':
    case 'logic':
      return [];
  }
}
