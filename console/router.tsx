import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import type { FunctionComponent } from 'react';
import { ALIASES } from '#shared/console/pages.ts';
import { readUser } from './account/user.ts';
import { loadChunk } from './client/new-version.ts';
import { queryClient } from './client/query-client.ts';
import { Frame } from './parts/frame/frame.tsx';
import { NoSuchPage, PageFailure } from './parts/frame/page-failure.tsx';
import { watchNavigation } from './parts/frame/watch-navigation.ts';
import { PageSkeleton } from './parts/page/skeleton.tsx';
import type { PageProps, Route } from './routes/route.ts';
import { paramsFromRoute, pathOf, type RoutePath, routePath } from './routes/route-path.ts';
import { SCREENS } from './routes/screens.ts';
import {
  parseSearch,
  type SearchOf,
  type SearchShape,
  searchFromText,
  searchToText,
  text,
} from './routes/search-params.ts';
import { type BuiltPage, ROUTES } from './routes/table.ts';

/** The routes of the console, made from the table of addresses that the server uses, too (shared/console/pages.ts). */
const root = createRootRoute({
  component: () => (
    <Frame>
      <Outlet />
    </Frame>
  ),
});

/**
 * How long a page that has its first answer waits for the others, in milliseconds. Answers that come together are drawn
 * together, so that nothing moves when the next one comes.
 */
const LONGEST_WAIT = 200;
const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis));

const paths: readonly string[] = Object.values(ROUTES).map(({ name }) => routePath(name));

/**
 * The router takes an empty rest of `/repos/$` for a better match than `/repos`, unless this is written as an index. The
 * types know both by the same path.
 */
const matchedPath = <N extends BuiltPage>(name: N): RoutePath<N> => {
  const path = routePath(name);
  // The types of the router know both by the same path.
  return paths.includes(`${path}/$`) ? (`${path}/` as RoutePath<N>) : path;
};

/** What every address can have: the order of a table that has all of its rows. */
const EVERY_PAGE = { order: text };

/** Makes the route of a page, whose types the router takes: its path, its values and its parameters behind the `?`. */
function pageRoute<N extends BuiltPage, S extends SearchShape>(name: N, { search, reads, readsAfter }: Route<N, S>) {
  const made = createRoute({
    getParentRoute: () => root,
    path: matchedPath(name),
    validateSearch: (given: Readonly<Record<string, unknown>>): SearchOf<S> => ({
      ...parseSearch(search, given),
      ...parseSearch(EVERY_PAGE, given),
    }),
    loaderDeps: ({ search: parsed }): { search: SearchOf<S> } => ({ search: parsed }),
    // All reads start at once, beside the chunk of the page. The page waits for the first one, and a moment for the others.
    loader: async ({ params, deps }) => {
      const given = [paramsFromRoute(name, params), deps.search] as const;
      const [first, ...rest] = reads(...given);
      // What the caller may do decides which buttons and columns there are.
      const others = [queryClient.prefetchQuery(readUser()), ...rest.map((one) => queryClient.prefetchQuery(one))];
      if (first) {
        const answer = await queryClient.ensureQueryData({ ...first, revalidateIfStale: true });
        // The route names the type of its first answer. The router knows only that it is one.
        const after = readsAfter?.(answer as never, ...given) ?? [];
        others.push(...after.map((one) => queryClient.prefetchQuery(one)));
      }
      await Promise.race([Promise.all(others), pause(LONGEST_WAIT)]);
    },
  });
  made.update({
    component: lazyRouteComponent(async () => {
      // One name selects the route and its page, so the page takes what the route declares.
      const load = SCREENS[name] as () => Promise<{ default: FunctionComponent<PageProps<Route<N, S>>> }>;
      const { default: Page } = await loadChunk(load);
      return {
        default: () => {
          // The types of the router do not know what useSearch returns for a route that is an argument: what validateSearch made.
          const search = made.useSearch() as SearchOf<S>;
          return <Page params={paramsFromRoute(name, made.useParams())} search={search} />;
        },
      };
    }),
  });
  return made;
}

type PageRoutes = { [N in BuiltPage]: ReturnType<typeof pageRoute<N, (typeof ROUTES)[N]['search']>> };

/** Addresses that the command-line client writes. They lead to the address that the page has now. */
const aliasOf = (alias: string, pattern: string) =>
  createRoute({
    getParentRoute: () => root,
    path: pathOf(alias),
    beforeLoad: ({ params }) => {
      throw redirect({ to: pathOf(pattern), params, replace: true });
    },
  });

/** The tree of routes, made from the table of addresses that the server uses, too (shared/console/pages.ts). */
const pages = Object.values(ROUTES).map((one) => [one.name, pageRoute(one.name, one)]);
// The router takes an address with a slash at the end as the same address without it.
const aliases = Object.entries(ALIASES)
  .filter(([alias]) => !alias.endsWith('/'))
  .map(([alias, pattern]) => [alias, aliasOf(alias, pattern)]);
// Object.fromEntries forgets which name has which route. Nothing links to an alias, so the types leave the aliases out.
const children = Object.fromEntries([...pages, ...aliases]) as PageRoutes;

export const router = createRouter({
  routeTree: root.addChildren(children),
  defaultPreload: 'intent',
  // The query layer knows what is fresh.
  defaultPreloadStaleTime: 0,
  defaultPendingMs: 150,
  defaultPendingMinMs: 0,
  defaultPendingComponent: PageSkeleton,
  defaultErrorComponent: PageFailure,
  defaultNotFoundComponent: NoSuchPage,
  scrollRestoration: true,
  parseSearch: searchFromText,
  stringifySearch: searchToText,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

watchNavigation(router);
