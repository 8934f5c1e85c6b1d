import { AsyncLocalStorage } from 'node:async_hooks';

/** The AWS calls of one request: how many, how many after one another, and the units that DynamoDB says it used. */
export interface CallCount {
  calls: number;
  /** Length of the longest chain in which each call began after the one before had ended. */
  sequential: number;
  /** `DynamoDB.Query` and so on, in order of their beginning, each with the place in its chain. */
  log: { name: string; depth: number }[];
}

const current = new AsyncLocalStorage<CallCount>();

/** Runs `work` and counts the AWS calls that it makes, concurrent requests apart. */
export const counted = <T>(work: () => Promise<T>, count: CallCount = newCount()): Promise<T> =>
  current.run(count, work);

export const newCount = (): CallCount => ({ calls: 0, sequential: 0, log: [] });

/** Notes one AWS call of the running request and hands back its result. */
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

/** Makes an AWS client count its calls for the running request; retries inside the SDK count once. */
export function meter<C>(client: C, service: string): C {
  (client as Middlewares).middlewareStack.add(
    (next, context) => (args) =>
      metered(`${service}.${(context.commandName ?? '').replace(/Command$/, '')}`, () => next(args)),
    { step: 'initialize', name: 'call-meter' },
  );
  return client;
}
