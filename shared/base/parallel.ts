/**
 * Does `work` for each of many things, at most `width` of them at a time, in order of their beginning.
 * @returns what the work gave, in the order of the things
 * @throws what the first of the things that fail threw, whichever failed first in time, once those under way have ended;
 *   no further ones are begun
 */
export async function inParallel<T, R>(
  things: Iterable<T>,
  width: number,
  work: (thing: T) => Promise<R>,
): Promise<R[]> {
  const queue = [...things];
  const results = new Array<R>(queue.length);
  let next = 0;
  const failures = new Map<number, unknown>();
  const worker = async () => {
    while (next < queue.length && failures.size === 0) {
      const at = next;
      next += 1;
      try {
        results[at] = await work(queue[at] as T);
      } catch (error) {
        failures.set(at, error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, queue.length) }, worker));
  // All that come before a failed one had been begun, so that the first of all that would fail is among them.
  if (failures.size > 0) throw failures.get(Math.min(...failures.keys()));
  return results;
}

/**
 * As Promise.all, where several may refuse: whichever fails first, the refusal that counts is that of the first in the
 * list, so that the same request is always told the same.
 */
export async function allInOrder<T extends readonly unknown[]>(
  tasks: readonly [...T],
): Promise<{ -readonly [P in keyof T]: Awaited<T[P]> }> {
  await Promise.allSettled(tasks);
  return Promise.all(tasks) as Promise<{ -readonly [P in keyof T]: Awaited<T[P]> }>;
}
