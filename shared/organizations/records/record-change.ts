import { again } from '#shared/base/retry.ts';
import { absent, onlyIf, unchanged } from '#shared/table/expressions.ts';
import type { Key, Write } from '#shared/table/table.ts';

/** A record before and after a change. A new record has no `before`, a removed one no `after`. */
export type RecordChange<R> = { before?: R | undefined; after: R } | { before: R; after?: undefined };

/** Returns the write of a change. It is refused with `again` if the record has changed since it was read, or is not new. */
export function recordWrite<R extends { rev: number }>(key: Key, { before, after }: RecordChange<R>): Write<'again'> {
  const asRead = { ...onlyIf(before ? unchanged(before, 'rev') : absent()), refused: again };
  return after ? { put: { ...key, ...after }, ...asRead } : { remove: key, ...asRead };
}
