import { subterms, type Term } from '../syntax/ast.ts';
import { keyOf } from '../values/value.ts';
import { type Flat, flatBody } from './flat.ts';
import { patternNames } from './names.ts';
import type { Names } from './scope.ts';

/** Whether a name was created by {@link Names}. Other names are root documents and functions. */
export function isVariable(name: string): boolean {
  return name.includes('#');
}

/** Returns the variables of a term. `closures` says whether variables inside comprehensions count. */
export function variables(term: Term, closures: boolean, found = new Set<string>()): Set<string> {
  if (term.type === 'var' && isVariable(term.name)) found.add(term.name);
  for (const part of subterms(term)) variables(part, closures, found);
  if (term.type !== 'comprehension' || !closures) return found;
  if (term.key !== null) variables(term.key, true, found);
  variables(term.head, true, found);
  for (const flat of flatBody(term)) for (const name of flatVariables(flat)) found.add(name);
  return found;
}

/** Returns every variable of a flat literal, including those inside comprehensions. */
function flatVariables({ expression, withs }: Flat): Set<string> {
  const found = new Set<string>();
  for (const term of termsOf(expression)) variables(term, true, found);
  for (const { value } of withs) variables(value, true, found);
  for (const body of bodiesOf(expression)) {
    for (const inner of body) for (const name of flatVariables(inner)) found.add(name);
  }
  return found;
}

/** Returns the bodies that stand directly in an expression. */
export function bodiesOf(expression: Flat['expression']): readonly (readonly Flat[])[] {
  if (expression.type === 'every') return [expression.body];
  return 'bodies' in expression ? expression.bodies : [];
}

/** Returns the terms that stand directly in an expression. */
export function termsOf(expression: Flat['expression']): readonly Term[] {
  switch (expression.type) {
    case 'term':
      return [expression.term];
    case 'unify':
    case 'compare':
      return [expression.left, expression.right];
    case 'call':
      return expression.out === null ? expression.call.args : [...expression.call.args, expression.out];
    case 'every':
      return [expression.domain];
    case 'not':
    case 'and':
    case 'or':
      return [];
  }
}

/** Returns the variables that a literal shares with its body. `level` is the level of the body. */
export function ownVariables(flat: Flat, names: Names, level: number): Set<string> {
  return new Set([...flatVariables(flat)].filter((name) => names.level(name) <= level));
}

/**
 * Returns the variables that a literal binds when those in `safe` are bound: by references that walk, by unification
 * and by the results of calls.
 */
export function outputs(flat: Flat, safe: ReadonlySet<string>): Set<string> {
  const found = new Set<string>();
  if (flat.negated) return found;
  const { expression } = flat;
  for (const term of termsOf(expression)) referenceOutputs(term, safe, found);
  if (expression.type === 'unify') {
    for (let size = -1; size !== found.size; ) {
      size = found.size;
      unifyOutputs(expression.left, expression.right, safe, found);
    }
  }
  if (expression.type === 'call' && expression.out !== null) patternVariables(expression.out, found);
  return found;
}

/** Collects the variables that a pattern binds. Keys, references and comprehensions bind none. */
function patternVariables(term: Term, found: Set<string>): void {
  for (const name of patternNames(term)) found.add(name);
}

/** Collects the variables inside the brackets of references whose head is bound. */
function referenceOutputs(term: Term, safe: ReadonlySet<string>, found: Set<string>): void {
  const parts = term.type === 'ref' ? [...term.path, term.head] : subterms(term);
  for (const part of parts) referenceOutputs(part, safe, found);
  if (term.type === 'ref' && bound(term.head, safe, found)) {
    for (const step of term.path) patternVariables(step, found);
  }
}

function bound(term: Term, safe: ReadonlySet<string>, found: ReadonlySet<string>): boolean {
  for (const name of variables(term, false)) if (!safe.has(name) && !found.has(name)) return false;
  return true;
}

function unifyOutputs(left: Term, right: Term, safe: ReadonlySet<string>, found: Set<string>): void {
  if (left.type === 'array' && right.type === 'array') {
    if (left.items.length === right.items.length)
      left.items.forEach((item, at) => {
        const other = right.items[at];
        if (other !== undefined) unifyOutputs(item, other, safe, found);
      });
    return;
  }
  if (left.type === 'object' && right.type === 'object') {
    for (const [value, other] of alignedValues(left, right) ?? []) unifyOutputs(value, other, safe, found);
    return;
  }
  if (isCollectionPattern(left) && !mayMatch(right)) return;
  if (isCollectionPattern(right) && !mayMatch(left)) return;
  if (bound(left, safe, found)) patternVariables(right, found);
  if (bound(right, safe, found)) patternVariables(left, found);
}

function isCollectionPattern(term: Term): boolean {
  return term.type === 'array' || term.type === 'object';
}

/** Whether the value of a term is only known during evaluation. Collections were already compared part by part. */
function mayMatch(term: Term): boolean {
  return term.type === 'var' || term.type === 'ref' || term.type === 'call' || term.type === 'comprehension';
}

/** Pairs the values of two object patterns by their keys. Null where the keys are not the same constants and variables. */
export function alignedValues(
  left: Extract<Term, { type: 'object' }>,
  right: Extract<Term, { type: 'object' }>,
): (readonly [Term, Term])[] | null {
  if (left.pairs.length !== right.pairs.length) return null;
  const values = new Map<string, Term>();
  for (const [key, value] of right.pairs) values.set(patternKey(key), value);
  if (values.size < right.pairs.length) return null;
  const aligned: (readonly [Term, Term])[] = [];
  for (const [key, value] of left.pairs) {
    const other = values.get(patternKey(key));
    if (other === undefined) return null;
    aligned.push([value, other]);
  }
  return aligned;
}

/** Returns a text that only equal constants, and the same variable, share. Other keys share theirs with nothing. */
function patternKey(key: Term): string {
  if (key.type === 'var') return key.name;
  if (key.type !== 'scalar') return `${key.at.line}:${key.at.column}`;
  const id = keyOf(key.value);
  return `${typeof id} ${id}`;
}
