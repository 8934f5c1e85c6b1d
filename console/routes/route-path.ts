import { PAGES, type PageName } from '#shared/console/pages.ts';
import type { ParamsOf, PatternOf } from './params.ts';

/** The path of a pattern in the form of the router: `/$org/flows/$flow`. A name that takes the rest becomes `$`. */
type PathOf<P extends string> = P extends `${infer Before}{${string}+}`
  ? `${PathOf<Before>}$`
  : P extends `${infer Before}{${infer Name}}${infer After}`
    ? `${Before}$${Name extends `${infer Plain}:digits` ? Plain : Name}${PathOf<After>}`
    : P;
export type RoutePath<N extends PageName> = PathOf<PatternOf<N>>;

const patterns = new Map<string, string>(Object.entries(PAGES).map(([pattern, name]) => [name, pattern]));

const patternOf = <N extends PageName>(page: N): PatternOf<N> =>
  // The table has one pattern for each page, which the type of a map cannot say.
  patterns.get(page) as PatternOf<N>;

export const routePath = <N extends PageName>(page: N): RoutePath<N> => pathOf(patternOf(page));

export const pathOf = <P extends string>(pattern: P): PathOf<P> =>
  pattern.replace(
    /\{(\w+)(\+|:digits)?\}/g,
    (_, name: string, kind = '') => (kind === '+' ? '$' : `$${name}`),
    // What a regular expression writes has no type of its own.
  ) as PathOf<P>;

const restName = (page: PageName): string | undefined => /\{(\w+)\+\}/.exec(patternOf(page))?.[1];

/** The values of an address by their names, of a page that is known only when the console runs. */
type AnyParams = Readonly<Record<string, string>>;

/** Translates the values of an address into those of the router, which calls the rest of a path `_splat`. */
export function routeParams(page: PageName, params: AnyParams): AnyParams {
  const rest = restName(page);
  return rest === undefined ? params : { ...params, _splat: params[rest] ?? '' };
}

/** The way back from {@link routeParams}. */
export function paramsFromRoute<N extends PageName>(page: N, params: AnyParams): ParamsOf<N> {
  const rest = restName(page);
  const { _splat = '', ...others } = params;
  // The router has matched the pattern of the page, so the values are those of its names.
  return (rest === undefined ? others : { ...others, [rest]: _splat }) as ParamsOf<N>;
}
