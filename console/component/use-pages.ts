import type { FetchQueryOptions } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { ApiProblem } from '../client/api-problem.ts';
import { queryClient } from '../client/query-client.ts';

/** An answer that comes in pages, each of which names the next one. */
interface Page {
  next_cursor: string | null;
}

export interface Pages<O> {
  pages: readonly O[];
  /** Whether something can be shown: all that is read at once is there, or a part of it after a while. */
  isReady: boolean;
  isReading: boolean;
  isComplete: boolean;
  /** Why the next page did not come; null if nothing failed. */
  problem: unknown;
  /** Reads the other pages, and the one that failed. */
  readOn: () => void;
  /** Reads no further page. */
  stop: () => void;
}

/** Pages that are read without being asked for. A page of the console makes at most four calls. */
const AT_ONCE = 4;
/** The router asks for the first page. What it refuses is not asked again; everything else may go well now. */
const refusalOf = (error: unknown): unknown => (error instanceof ApiProblem && error.status === 400 ? error : null);

/** How long the first pages are waited for, so that they are drawn together, in milliseconds. */
const PATIENCE = 1_000;

/**
 * Reads the pages of an answer one after another. Another question needs a new component, so that its pages begin anew.
 *
 * @param readAt the read of a page; null is the first one
 */
export function usePages<O extends Page>(
  readAt: (cursor: string | null) => FetchQueryOptions<O, ApiProblem>,
): Pages<O> {
  const [pages, setPages] = useState<readonly O[]>([]);
  const [most, setMost] = useState(AT_ONCE);
  const [problem, setProblem] = useState<unknown>(() =>
    refusalOf(queryClient.getQueryState(readAt(null).queryKey)?.error),
  );
  const [isLate, setLate] = useState(false);
  const last = pages.at(-1);
  const isComplete = last !== undefined && last.next_cursor === null;
  const isReading = problem === null && !isComplete && pages.length < most;

  const readNext = useEffectEvent(() => queryClient.fetchQuery(readAt(last?.next_cursor ?? null)));
  // biome-ignore lint/correctness/useExhaustiveDependencies: each page that came lets the next one be read
  useEffect(() => {
    if (!isReading) return;
    let isWanted = true;
    readNext().then(
      (page) => isWanted && setPages((before) => [...before, page]),
      (error: unknown) => isWanted && setProblem(error),
    );
    return () => {
      isWanted = false;
    };
  }, [isReading, pages]);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), PATIENCE);
    return () => clearTimeout(timer);
  }, []);

  return {
    pages,
    isReady: !isReading || (isLate && pages.length > 0) || pages.length >= AT_ONCE,
    isReading,
    isComplete,
    problem,
    readOn: () => {
      setProblem(null);
      setMost(Number.POSITIVE_INFINITY);
    },
    stop: () => setMost(pages.length),
  };
}
