/**
 * Does `work` for each of many things, at most `width` of them at a time, in order of their beginning.
 * @throws what the first failing one threw, once those under way have ended; no further ones are begun
 */
export async function inParallel<T>(
  things: Iterable<T>,
  width: number,
  work: (thing: T) => Promise<void>,
): Promise<void> {
  const queue = [...things];
  let next = 0;
  let failure: { error: unknown } | undefined;
  const worker = async () => {
    while (next < queue.length && !failure) {
      const thing = queue[next] as T;
      next += 1;
      try {
        await work(thing);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, queue.length) }, worker));
  if (failure) throw failure.error;
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
