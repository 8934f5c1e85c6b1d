import { type QueryKey, type UseSuspenseQueryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { ApiProblem } from './api-problem.ts';
import { queryClient, type read } from './query-client.ts';

/** What the top line says about the age of the page. */
interface LiveState {
  /** Time of the last answer, in milliseconds; null if the page does not repeat its reads. */
  asOf: number | null;
  /** Milliseconds between two reads. */
  every: number;
  /** Reads that failed since the last answer. From two on the page may be stale. */
  failures: number;
}

const NOT_LIVE: LiveState = { asOf: null, every: 0, failures: 0 };
let state = NOT_LIVE;
const listeners = new Set<() => void>();

function publish(next: LiveState): void {
  state = next;
  for (const listener of listeners) listener();
}

export const useLiveState = (): LiveState =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );

const MOST_BACK_OFF = 16;

type ReadOf<O> = UseSuspenseQueryOptions<O, ApiProblem> & { queryKey: ReturnType<typeof read>['queryKey'] };

/** Shows an answer. The page is suspended until the first answer is there. */
export const useAnswer = <O>(options: ReadOf<O>): O => useSuspenseQuery(options).data;

/**
 * Shows an answer and reads it again every few seconds while the tab is visible. Failures double the time between two
 * reads, and `Retry-After` is obeyed.
 * @param seconds time between two reads, or a function of the answer
 */
export function useLiveAnswer<O>(options: ReadOf<O>, seconds: number | ((answer: O) => number)): O {
  const { data, dataUpdatedAt, failureCount, errorUpdateCount, isRefetchError } = useSuspenseQuery({
    ...options,
    refetchInterval: (query) => {
      const answer = query.state.data;
      const every = 1000 * (typeof seconds === 'number' || answer === undefined ? asNumber(seconds) : seconds(answer));
      const { error } = query.state;
      if (!(error instanceof ApiProblem)) return every;
      if (error.status === 401) return false;
      return Math.max(every * Math.min(2 ** failuresSince(query.state), MOST_BACK_OFF), 1000 * (error.retryAfter ?? 0));
    },
  });
  const every = 1000 * (typeof seconds === 'number' ? seconds : seconds(data));
  const failures = isRefetchError ? Math.max(1, failureCount) : failureCount;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each failed read counts, also if the number of its attempts is the same
  useEffect(() => {
    publish({ asOf: dataUpdatedAt, every, failures });
  }, [dataUpdatedAt, every, failures, errorUpdateCount]);
  useEffect(() => () => publish(NOT_LIVE), []);
  return data;
}

const asNumber = (seconds: unknown): number => (typeof seconds === 'number' ? seconds : 15);
const failuresSince = ({ errorUpdateCount }: { errorUpdateCount: number }): number => Math.max(1, errorUpdateCount);

/**
 * Reads answers again when a value changes. The head of a record is read often; everything that depends on it only when
 * the head has changed.
 * @param keys the beginnings of the keys: path and parameters
 */
export function useRefreshOn(value: unknown, keys: readonly QueryKey[]): void {
  const known = useRef(value);
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    if (known.current === value) return;
    known.current = value;
    for (const queryKey of latest.current) void queryClient.invalidateQueries({ queryKey });
  }, [value]);
}
