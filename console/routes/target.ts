import type { NavigateOptions } from '@tanstack/react-router';
import type { PageName } from '#shared/console/pages.ts';
import type { ParamsOf } from './params.ts';
import { routeParams, routePath } from './route-path.ts';

/** Parameters behind the `?`, as links write them. Absent ones are left out. */
export type LinkSearch = Readonly<Record<string, string | number | undefined>>;

type Target = Pick<NavigateOptions, 'to' | 'params' | 'search'>;

/** Where a link leads, for parts whose page is an argument. With a page in the text, write `to: routePath('flow')`. */
export const targetOf = <N extends PageName>(page: N, params: ParamsOf<N>, search: LinkSearch = {}): Target =>
  // The types of the router need the path itself. The argument's type has the values that the path needs.
  ({ to: routePath(page), params: routeParams(page, params), search }) as Target;
