import type { FetchQueryOptions } from '@tanstack/react-query';
import type { PageName } from '#shared/console/pages.ts';
import type { ParamsOf } from './params.ts';
import type { SearchOf, SearchShape } from './search-params.ts';

/** A read that the router starts, of any answer. How long the answer stays fresh is part of it, and depends on the answer's type. */
type Read = Pick<FetchQueryOptions, 'queryKey' | 'queryFn'>;

/** What the router must know of a page before it loads the page's chunk. */
export interface Route<N extends PageName, S extends SearchShape> {
  name: N;
  /** The parameters behind the `?`, and how each is parsed. */
  search: S;
  /**
   * The answers that the page needs, four at most. All of them start at once, beside the page's chunk. The first is the
   * one that the page cannot do without: the router waits for it and shows its failure. Panels show the others.
   */
  reads: (params: ParamsOf<N>, search: SearchOf<S>) => readonly Read[];
  /**
   * Reads that fail for some records, such as the newest snapshot of an environment that never reported. They start when the
   * first answer is there, which says whether they can succeed. The route names the type of that answer.
   */
  readsAfter?: (first: never, params: ParamsOf<N>, search: SearchOf<S>) => readonly Read[];
}

/** Defines the route of a page (console/README.md). */
export const route = <const N extends PageName, S extends SearchShape>(definition: Route<N, S>): Route<N, S> =>
  definition;

/** What the component of a page gets. */
export type PageProps<R> = R extends Route<infer N, infer S> ? { params: ParamsOf<N>; search: SearchOf<S> } : never;
