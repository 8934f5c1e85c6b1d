import type { Term } from '../syntax/ast.ts';
import { RegoObject, RegoSet, type Value } from '../values/value.ts';

/** Returns the value of a constant term, or undefined for other terms. */
export function constant(term: Term): Value | undefined {
  if (term.type === 'scalar') return term.value;
  if (term.type === 'array' || term.type === 'set') {
    const items: Value[] = [];
    for (const item of term.items) {
      const value = constant(item);
      if (value === undefined) return undefined;
      items.push(value);
    }
    return term.type === 'array' ? items : RegoSet.of(items);
  }
  if (term.type !== 'object') return undefined;
  const made = new RegoObject();
  for (const [key, value] of term.pairs) {
    const name = constant(key);
    const member = constant(value);
    if (name === undefined || member === undefined) return undefined;
    made.set(name, member);
  }
  return made;
}
