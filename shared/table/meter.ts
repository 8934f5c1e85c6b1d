import { AsyncLocalStorage } from 'node:async_hooks';

/** Counts of the AWS calls of one request: how many, the longest sequence, and the units that DynamoDB reported. */
export interface CallCount {
  calls: number;
  /** Length of the longest sequence of calls in which each started after the previous one had ended. */
  sequential: number;
  /** Names such as `DynamoDB.Query`, in order of their start, each with its position in its sequence. */
  log: { name: string; depth: number }[];
}

const current = new AsyncLocalStorage<CallCount>();

/** Runs `work` and counts its AWS calls. Concurrent requests are counted separately. */
export const counted = <T>(work: () => Promise<T>, count: CallCount = newCount()): Promise<T> =>
  current.run(count, work);

export const newCount = (): CallCount => ({ calls: 0, sequential: 0, log: [] });

/** Counts one AWS call of the running request and returns the result of the call. */
export async function metered<T>(name: string, call: () => Promise<T>): Promise<T> {
  const count = current.getStore();
  if (!count) return call();
  const depth = count.sequential + 1;
  count.calls += 1;
  count.log.push({ name, depth });
  try {
    return await call();
  } finally {
    count.sequential = Math.max(count.sequential, depth);
  }
}

/**
 * Begins parallel work. Every work that is passed to the returned function counts as begun now, even if a limit of width
 * starts it later.
 */
export function parallelCount(): <T>(work: () => Promise<T>) => Promise<T> {
  const count = current.getStore();
  if (!count) return (work) => work();
  const { sequential: before, log } = count;
  return async (work) => {
    const own: CallCount = { calls: 0, sequential: before, log };
    try {
      return await current.run(own, work);
    } finally {
      count.calls += own.calls;
      count.sequential = Math.max(count.sequential, own.sequential);
    }
  };
}

interface Middlewares {
  middlewareStack: {
    add(
      middleware: (
        next: (args: never) => Promise<never>,
        context: { commandName?: string },
      ) => (args: never) => Promise<never>,
      options: { step: 'initialize'; name: string },
    ): void;
  };
}

/** Lets an AWS client count its calls for the running request. Retries inside the SDK count once. */
export function meter<C>(client: C, service: string): C {
  // Every client of the SDK has a stack of middlewares. Its types differ from service to service.
  (client as Middlewares).middlewareStack.add(
    (next, context) => (args) =>
      metered(`${service}.${(context.commandName ?? '').replace(/Command$/, '')}`, () => next(args)),
    { step: 'initialize', name: 'call-meter' },
  );
  return client;
}
