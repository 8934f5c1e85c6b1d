import { isDeepStrictEqual } from 'node:util';
import type { EnvironmentId, Id } from '#shared/base/ids.ts';
import { shownInput } from '#shared/base/validation.ts';

export const ONLY_LOGICAL = 'Only a logical environment includes others';

export const logicalMember = (name: string): string =>
  `Environment named '${shownInput(name)}' is logical: only physical environments can be included`;

/**
 * The members after the next transaction of a change from `before` to `after`. That is `after` itself, unless more than
 * `most` members join and leave in total.
 */
export function nextMembers(before: readonly EnvironmentId[], after: readonly EnvironmentId[], most: number) {
  const left = before.filter((id) => !after.includes(id));
  const joined = after.filter((id) => !before.includes(id));
  if (left.length + joined.length <= most) return after;
  const leaving = new Set(left.slice(0, most));
  return [...before.filter((id) => !leaving.has(id)), ...joined.slice(0, most - leaving.size)];
}

/** Whether two lists name the same records in the same order. */
export const sameIds = (one: readonly Id[], other: readonly Id[]): boolean => isDeepStrictEqual([...one], [...other]);
