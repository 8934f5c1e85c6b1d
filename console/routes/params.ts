import type { PAGES, PageName, PagePattern } from '#shared/console/pages.ts';

/** The pattern of a page in the table of addresses. */
export type PatternOf<N extends PageName> = {
  [P in PagePattern]: (typeof PAGES)[P] extends N ? P : never;
}[PagePattern];

type NamesIn<Pattern extends string> = Pattern extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${infer Plain}+` ? Plain : Name) | NamesIn<Rest>
  : never;

/** The values that the address of a page holds: `{ org, flow, trail }`. A page that is known only at run time may hold any. */
export type ParamsOf<N extends PageName> = Readonly<
  Record<PageName extends N ? string : NamesIn<PatternOf<N>>, string>
>;
