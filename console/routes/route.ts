import type { PAGES, PageName, PagePattern } from '#shared/console/pages.ts';
import type { SearchOf, SearchShape } from './search-params.ts';

/** The pattern of a page in the table of addresses. */
export type PatternOf<N extends PageName> = {
  [P in PagePattern]: (typeof PAGES)[P] extends N ? P : never;
}[PagePattern];

type NamesIn<Pattern extends string> = Pattern extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${infer Plain}+` ? Plain : Name) | NamesIn<Rest>
  : never;

/** The values that the address of a page holds: `{ org, flow, trail }`. */
export type ParamsOf<N extends PageName> = Readonly<Record<NamesIn<PatternOf<N>>, string>>;

/** What the router must know of a page before it loads the page's chunk. */
export interface Route<N extends PageName, S extends SearchShape> {
  name: N;
  /** The parameters behind the `?`, and how each is parsed. */
  search: S;
  /**
   * The answers that the page needs, four at most. All of them start at once, beside the page's chunk. The first is the
   * one that the page cannot do without: the router waits for it and shows its failure. Panels show the others.
   */
  reads: (params: ParamsOf<N>, search: SearchOf<S>) => readonly unknown[];
  /**
   * Reads that fail for some records, such as the newest snapshot of an environment that never reported. They start when the
   * first answer is there, which says whether they can succeed. The route names the type of that answer.
   */
  readsAfter?: (first: never, params: ParamsOf<N>, search: SearchOf<S>) => readonly unknown[];
}

/** Defines the route of a page (console/README.md). */
export const route = <const N extends PageName, S extends SearchShape>(definition: Route<N, S>): Route<N, S> =>
  definition;

/** What the component of a page gets. */
export type PageProps<R> = R extends Route<infer N, infer S> ? { params: ParamsOf<N>; search: SearchOf<S> } : never;
