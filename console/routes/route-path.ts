import { PAGES, type PageName, type PagePattern } from '#shared/console/pages.ts';

const patterns = new Map<PageName, PagePattern>(
  Object.entries(PAGES).map(([pattern, name]) => [name, pattern as PagePattern]),
);

/** The path of a page in the form of the router: `/$org/flows/$flow`. A name that takes the rest becomes `$`. */
export const routePath = (page: PageName): string => pathOf(patterns.get(page) ?? '/');

export const pathOf = (pattern: string): string =>
  pattern.replace(/\{(\w+)(\+|:digits)?\}/g, (_, name: string, kind = '') => (kind === '+' ? '$' : `$${name}`));

const restName = (page: PageName): string | undefined => /\{(\w+)\+\}/.exec(patterns.get(page) ?? '')?.[1];

/** Translates the values of an address into those of the router, which calls the rest of a path `_splat`. */
export function routeParams(page: PageName, params: object): Record<string, string> {
  const given = { ...params } as Record<string, string>;
  const rest = restName(page);
  return rest === undefined ? given : { ...given, _splat: given[rest] ?? '' };
}

/** The way back from {@link routeParams}. */
export function paramsFromRoute(page: PageName, params: Readonly<Record<string, string>>): Record<string, string> {
  const rest = restName(page);
  const { _splat = '', ...others } = params;
  return rest === undefined ? others : { ...others, [rest]: _splat };
}
