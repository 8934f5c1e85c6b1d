import { inParallel } from '#shared/base/parallel.ts';
import { parallelCount } from './meter.ts';

/**
 * How many reads of one kind are on the wire at the same time. A request runs at most four kinds side by side, so
 * together they take no more connections than the client has (rules/storage.md#connections).
 */
export const READS_AT_ONCE = 32;

/**
 * Called with how many reads are about to begin.
 * @throws ServiceError if they are too many
 */
export type CountReads = (reads: number) => void;

/**
 * Makes one read for each thing, {@link READS_AT_ONCE} at a time. The reads count as one sequential call
 * (rules/storage.md#sequential-calls).
 * @returns the results in the order of the things
 * @throws the error of the first failed thing in the list; after a failure no further read starts
 */
export function readEach<T, R>(things: Iterable<T>, read: (thing: T) => Promise<R>): Promise<R[]> {
  const counted = parallelCount();
  return inParallel(things, READS_AT_ONCE, (thing) => counted(() => read(thing)));
}
