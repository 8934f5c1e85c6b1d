import pMap from 'p-map';

/**
 * Calls `work` for each thing in order, at most `width` at the same time.
 *
 * After a failure no further work starts, but running work is awaited: the platform can freeze a function as soon as it
 * has answered, and no write may still be running then.
 * @returns the results in the order of the things
 * @throws the error of the first failed thing in the list, not the first in time, so that the same request always gets
 *   the same error
 */
export async function inParallel<T, R>(
  things: Iterable<T>,
  width: number,
  work: (thing: T) => Promise<R>,
): Promise<R[]> {
  const failures: { at: number; error: unknown }[] = [];
  const attempt = async (thing: T, at: number) => {
    if (failures.length > 0) return undefined;
    try {
      return await work(thing);
    } catch (error) {
      failures.push({ at, error });
    }
  };
  const results = await pMap(things, attempt, { concurrency: width });
  const [first] = failures.toSorted((one, other) => one.at - other.at);
  if (first) throw first.error;
  // An attempt returns nothing only after a failure, and then the line above has thrown.
  return results as R[];
}

/**
 * Promise.all for tasks of which several may fail.
 * @throws the error of the first failed task in the list, not the first in time, so that the same request always gets
 *   the same error
 */
export async function allInOrder<T extends readonly unknown[]>(
  tasks: readonly [...T],
): Promise<{ -readonly [P in keyof T]: Awaited<T[P]> }> {
  await Promise.allSettled(tasks);
  // `Promise.all` keeps the places of the tasks, which the compiler does not follow for a generic list.
  return Promise.all(tasks) as Promise<{ -readonly [P in keyof T]: Awaited<T[P]> }>;
}

/** Cuts a list into consecutive parts of at most `size` elements. */
export const batchesOf = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));
