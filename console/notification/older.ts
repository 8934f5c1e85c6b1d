import { type UseSuspenseQueryOptions, useQuery } from '@tanstack/react-query';
import type { ApiProblem } from '../client/api-problem.ts';
import { queryClient } from '../client/query-client.ts';

/** Most pages that are read to find out whether a list goes on. */
const MOST_PAGES = 2;

interface OlderProps<O> {
  /** Cursor of the next page; null on the last page. */
  next: string | null;
  /** Whether the page has less than it can have. Its cursor then says only that the service did not look further. */
  isShort: boolean;
  readAt: (cursor: string) => UseSuspenseQueryOptions<O, ApiProblem>;
  contentOf: (answer: O) => { rows: number; next: string | null };
}

/**
 * Finds the cursor of the next page that has rows. A page of a list can be short or empty and still have a next one, because
 * the service reads a limited number of records (rules/lists.md#bounded-pages).
 *
 * @returns the cursor, and what stands in the place of the link if there is none
 */
export function useOlder<O>({ next, isShort, readAt, contentOf }: OlderProps<O>): {
  next: string | null;
  end?: string;
} {
  const { data, isError } = useQuery({
    queryKey: ['older', ...(next === null ? [] : readAt(next).queryKey)],
    enabled: isShort && next !== null,
    queryFn: async () => {
      let cursor = next;
      for (let page = 0; page < MOST_PAGES && cursor !== null; page += 1) {
        const { rows, next: further } = contentOf(await queryClient.fetchQuery(readAt(cursor)));
        if (rows > 0) return cursor;
        cursor = further;
      }
      return cursor;
    },
  });
  if (!isShort || next === null || isError) return { next };
  return { next: data ?? null, end: data === undefined ? 'Looking for older ones' : 'Nothing is older' };
}
