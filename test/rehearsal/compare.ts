import { isDeepStrictEqual } from 'node:util';
import type { Deployed } from './deployment.ts';
import type { Facts, Inventory } from './inventory.ts';

/** Keys of an inventory, sorted. */
export interface Difference {
  added: string[];
  removed: string[];
  changed: string[];
}

/** Compares what was there with what is there. */
export function difference(before: Inventory, after: Inventory): Difference {
  const isChanged = (key: string) => before.has(key) && !isDeepStrictEqual(before.get(key), after.get(key));
  return {
    added: [...after.keys()].filter((key) => !before.has(key)).toSorted(),
    removed: [...before.keys()].filter((key) => !after.has(key)).toSorted(),
    changed: [...after.keys()].filter(isChanged).toSorted(),
  };
}

/** How many sentences about one thing are shown. */
const SHOWN = 10;

/** Returns the beginning of a list of problems, and how many more there are. */
export const shortened = (problems: readonly string[]): string[] =>
  problems.length <= SHOWN ? [...problems] : [...problems.slice(0, SHOWN), `… and ${problems.length - SHOWN} more`];

/** What may differ: whether a key may be in the list. */
export interface Expected {
  added?: RegExp;
  removed?: RegExp;
  changed?: RegExp;
}

/** Returns a sentence for each difference that is not expected, and for each expected one that is not there. */
export function unexpected(found: Difference, expected: Expected): string[] {
  return (['added', 'removed', 'changed'] as const).flatMap((how) => {
    const pattern = expected[how];
    const other = found[how].filter((key) => !pattern?.test(key)).map((key) => `${key} is ${how}`);
    const isMissing = pattern !== undefined && !found[how].some((key) => pattern.test(key));
    return isMissing ? [...other, `nothing like ${pattern} is ${how}`] : other;
  });
}

/** The first fact that differs, for a sentence. */
export function firstDifference(before: Facts, after: Facts): string {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const name = names.find((one) => !isDeepStrictEqual(before[one], after[one]));
  return name === undefined ? 'nothing' : `${name}: ${JSON.stringify(before[name])} → ${JSON.stringify(after[name])}`;
}

/** Resources that a deployment replaced or removed: those whose physical id is another one afterwards. */
export function gone(before: readonly Deployed[], after: readonly Deployed[]): Deployed[] {
  const now = new Map(after.map((resource) => [`${resource.part}/${resource.id}`, resource.physical]));
  return before.filter(({ part, id, physical }) => now.get(`${part}/${id}`) !== physical);
}
