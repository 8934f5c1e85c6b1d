import { type Flat, flatBody } from '../compile/flat.ts';
import { sourceName } from '../compile/scope.ts';
import { isVariable, termsOf } from '../compile/variables.ts';
import { subterms, type Term } from '../syntax/ast.ts';
import { regoText } from '../values/text.ts';

/** Longest text of one term. */
const LONGEST_TERM = 200;

/** Calls by the variable that has their result. */
type Calls = ReadonlyMap<string, Extract<Term, { type: 'call' }>>;

/** A term whose value explains why a literal did not hold, with its text. */
export interface WatchedTerm {
  readonly term: Term;
  readonly text: string;
}

/**
 * Returns the terms of a literal whose values a reader wants to see: variables, references and results of calls. A
 * reference that walks is cut before its first unknown step.
 * @param body the clause's literals. A call that was moved in front of this literal is shown as the author wrote it
 * @param isKnown whether all variables of a term have values in front of the literal
 */
export function watchedTerms(flat: Flat, body: readonly Flat[], isKnown: (term: Term) => boolean): WatchedTerm[] {
  // Under `with`, references have other values than outside.
  const isShown = (term: Term) => isKnown(term) && (term.type !== 'ref' || flat.withs.length === 0);
  const inner = operandsOf(flat);
  return described([flat, ...inner].flatMap(inputsOf), callsOf([...body, ...inner]), isShown);
}

/** Returns the literals of the operands of `not`, `and` and `or`. */
function operandsOf({ expression }: Flat): readonly Flat[] {
  if (!('bodies' in expression)) return [];
  return expression.bodies.flat().flatMap((inner) => [inner, ...operandsOf(inner)]);
}

function inputsOf({ expression }: Flat): readonly Term[] {
  return expression.type === 'call' ? expression.call.args : termsOf(expression);
}

/**
 * Returns the terms that the value of a clause was computed from: the operands of its call, if it is one.
 * @param body the clause's literals
 */
export function termsOfValue(value: Term, body: readonly Flat[]): WatchedTerm[] {
  const calls = callsOf(body);
  const call = value.type === 'var' ? calls.get(value.name) : undefined;
  return call === undefined ? [] : described(call.args, calls, () => true);
}

function described(inputs: readonly Term[], calls: Calls, isShown: (term: Term) => boolean): WatchedTerm[] {
  const found = new Map<string, WatchedTerm>();
  for (const part of inputs.flatMap(parts)) {
    const term = part.type === 'ref' ? { ...part, path: knownSteps(part.path, isShown) } : part;
    if (!isShown(term)) continue;
    const text = shortened(termText(term, calls));
    found.set(text, { term, text });
  }
  return [...found.values()];
}

const callsOf = (body: readonly Flat[]): Calls =>
  new Map(
    body.flatMap(({ expression }) =>
      expression.type === 'call' && expression.out?.type === 'var' ? [[expression.out.name, expression.call]] : [],
    ),
  );

function knownSteps(path: readonly Term[], isKnown: (term: Term) => boolean): readonly Term[] {
  const unknown = path.findIndex((step) => !isKnown(step));
  return unknown === -1 ? path : path.slice(0, unknown);
}

/** Returns the variables and references in a term, without those inside comprehensions. */
function parts(term: Term): readonly Term[] {
  if (term.type === 'var') return isVariable(term.name) ? [term] : [];
  return term.type === 'ref' ? [term] : subterms(term).flatMap(parts);
}

/** Returns a term in Rego's notation. Operators are shown as calls by name. */
function termText(term: Term, calls: Calls): string {
  const text = (one: Term) => termText(one, calls);
  switch (term.type) {
    case 'scalar':
      return regoText(term.value);
    case 'var': {
      const call = calls.get(term.name);
      return call === undefined ? sourceName(term.name) : text(call);
    }
    case 'ref':
      return text(term.head) + term.path.map((step) => stepText(step, calls)).join('');
    case 'array':
      return `[${term.items.map(text).join(', ')}]`;
    case 'set':
      return `{${term.items.map(text).join(', ')}}`;
    case 'object':
      return `{${term.pairs.map(([key, value]) => `${text(key)}: ${text(value)}`).join(', ')}}`;
    case 'call':
      if (term.name.join('.') === 'internal.template_string') return '$"…"';
      return `${term.name.join('.')}(${term.args.map(text).join(', ')})`;
    case 'comprehension':
      return `comprehension of ${flatBody(term).length} expressions`;
  }
}

const stepText = (step: Term, calls: Calls): string =>
  step.type === 'scalar' && typeof step.value === 'string' && /^[A-Za-z_]\w*$/.test(step.value)
    ? `.${step.value}`
    : `[${termText(step, calls)}]`;

const shortened = (text: string): string => (text.length > LONGEST_TERM ? `${text.slice(0, LONGEST_TERM)}…` : text);
