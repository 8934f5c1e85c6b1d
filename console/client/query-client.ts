import { QueryCache, QueryClient, queryOptions } from '@tanstack/react-query';
import { ApiProblem } from './api-problem.ts';
import { call } from './call.ts';
import type { Operation } from './operations.ts';

/** A read of the API as the query layer takes it: `useSuspenseQuery(read(getTrail, { org, flow, trail }))`. */
export const read = <P extends object, Q extends object, O>(
  operation: Operation<P, Q, undefined, O>,
  params: P,
  // A caller leaves it out where every parameter behind the `?` may be absent.
  query: Q = {} as Q,
) =>
  queryOptions<O, ApiProblem>({
    queryKey: [operation.path, params, query],
    queryFn: ({ signal }) => call(operation, params, query, undefined, { signal }),
  });

/** What the sign-in dialog listens for: the session of this browser ended. */
export const sessionEnded = new EventTarget();

/** Asks for a key over the page, which stays as it is. */
export const askToSignIn = (): boolean => sessionEnded.dispatchEvent(new Event('ended'));

const isSignedOut = (error: unknown): boolean => error instanceof ApiProblem && error.status === 401;

const LONGEST_WAIT = 60_000;

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    // Where nothing is shown yet, the page itself asks to sign in (parts/frame/page-failure.tsx).
    onError: (error, query) => {
      if (isSignedOut(error) && query.state.data !== undefined) askToSignIn();
    },
  }),
  defaultOptions: {
    queries: {
      // Going back to a page within this time shows it at once, and reads it again behind.
      staleTime: 2_000,
      gcTime: 5 * 60_000,
      // A read that fails for a reason that passes is repeated. Everything else is shown at once.
      retry: (failures, error) => error instanceof ApiProblem && error.passes && failures < 3,
      retryDelay: (failures, error) =>
        error instanceof ApiProblem && error.retryAfter !== null
          ? error.retryAfter * 1000
          : Math.min(1000 * 2 ** failures, LONGEST_WAIT),
      // The calls themselves notice that the network is gone, and say so.
      networkMode: 'always',
    },
  },
});
