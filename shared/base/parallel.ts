import pMap from 'p-map';

/**
 * Does `work` for each thing, at most `width` at a time, and begins with the things in their order.
 *
 * After a failure no further work begins, but work under way is waited for: a function may be frozen as soon as it has
 * answered, so that no write may still be under way then.
 * @returns the results in the order of the things
 * @throws the error of the first failed thing in the list, whichever failed first in time: the same request always gets
 *   the same refusal
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
  return results as R[];
}

/**
 * Promise.all for tasks of which several may fail.
 * @throws the error of the first failed task in the list, whichever failed first in time: the same request always gets
 *   the same refusal
 */
export async function allInOrder<T extends readonly unknown[]>(
  tasks: readonly [...T],
): Promise<{ -readonly [P in keyof T]: Awaited<T[P]> }> {
  await Promise.allSettled(tasks);
  return Promise.all(tasks) as Promise<{ -readonly [P in keyof T]: Awaited<T[P]> }>;
}
