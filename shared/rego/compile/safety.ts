import { type Location, RegoError } from '../errors.ts';
import type { Flat } from './flat.ts';
import { type Names, sourceName } from './scope.ts';
import { isVariable, outputs, ownVariables } from './variables.ts';

/**
 * Orders the literals of a body so that every variable is bound before it is needed. It always takes the first literal
 * that can run, so a body that is in order does not change.
 * @param safe variables bound outside
 * @param level of the body
 * @throws RegoError `compile` naming the variables that nothing binds
 */
export function reorder(body: readonly Flat[], safe: ReadonlySet<string>, names: Names, level: number): Flat[] {
  const bound = new Set(safe);
  const ordered: Flat[] = [];
  const waiting = body.map((flat) => ({ flat, own: ownVariables(flat, names, level) }));
  while (waiting.length > 0) {
    const at = waiting.findIndex(({ flat, own }) => missing(flat, own, bound).length === 0);
    const next = waiting[at];
    if (next === undefined) {
      const unsafe = waiting.flatMap(({ flat, own }) =>
        missing(flat, own, bound).map((name) => ({ name, at: flat.at })),
      );
      throw unsafeError(unsafe);
    }
    for (const name of next.own) bound.add(name);
    ordered.push(next.flat);
    waiting.splice(at, 1);
  }
  return ordered;
}

/** Returns the error for variables that nothing binds. */
export function unsafeError(unsafe: readonly { readonly name: string; readonly at: Location }[]): RegoError {
  const names = [...new Set(unsafe.map(({ name }) => sourceName(name)))].filter(
    (name) => name !== 'call' && name !== 'part',
  );
  const listed = names.length === 0 ? ['_'] : names;
  return new RegoError('compile', listed.map((name) => `var ${name} is unsafe`).join('; '), unsafe[0]?.at ?? null);
}

function missing(flat: Flat, own: ReadonlySet<string>, bound: ReadonlySet<string>): string[] {
  const open = [...own].filter((name) => !bound.has(name));
  if (open.length === 0) return open;
  const given = outputs(flat, bound);
  for (const { value } of flat.withs) {
    if (value.type === 'var' && isVariable(value.name) && !bound.has(value.name)) return [value.name];
  }
  return open.filter((name) => !given.has(name));
}
