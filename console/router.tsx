import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { ALIASES, PAGES, type PageName } from '#shared/console/pages.ts';
import { readUser } from './account/user.ts';
import { loadChunk } from './client/new-version.ts';
import { queryClient } from './client/query-client.ts';
import { Frame } from './parts/frame/frame.tsx';
import { NoSuchPage, PageFailure } from './parts/frame/page-failure.tsx';
import { watchNavigation } from './parts/frame/watch-navigation.ts';
import { PageSkeleton } from './parts/page/skeleton.tsx';
import { paramsFromRoute, pathOf, routePath } from './routes/route-path.ts';
import { SCREENS, type Screen } from './routes/screens.ts';
import { parseSearch, searchFromText, searchToText } from './routes/search-params.ts';

/** The routes of the console, made from the table of addresses that the server uses, too (shared/console/pages.ts). */
const root = createRootRoute({
  component: () => (
    <Frame>
      <Outlet />
    </Frame>
  ),
});

type Search = Readonly<Record<string, unknown>>;

/**
 * How long a page that has its first answer waits for the others, in milliseconds. Answers that come together are drawn
 * together, so that nothing moves when the next one comes.
 */
const LONGEST_WAIT = 200;
const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis));

const paths = Object.values(PAGES).map(routePath);

/**
 * The router takes an empty rest of `/repos/$` for a better match than `/repos`, unless this is written as an index.
 */
const matchedPath = (path: string): string => (paths.includes(`${path}/$`) ? `${path}/` : path);

function routeOf(name: PageName, screen: Screen) {
  return createRoute({
    getParentRoute: () => root,
    path: matchedPath(routePath(name)),
    validateSearch: (given: Search): Search => parseSearch(screen.search, given),
    loaderDeps: ({ search }) => search,
    // All reads start at once, beside the chunk of the page. The page waits for the first one, and a moment for the others.
    loader: async ({ params, deps }) => {
      const given = [paramsFromRoute(name, params), deps] as const;
      const [first, ...rest] = screen.reads(...given);
      // What the caller may do decides which buttons and columns there are.
      const others = [queryClient.prefetchQuery(readUser()), ...rest.map((one) => queryClient.prefetchQuery(one))];
      if (first) {
        const answer = await queryClient.ensureQueryData({ ...first, revalidateIfStale: true });
        const after = screen.readsAfter?.(answer, ...given) ?? [];
        others.push(...after.map((one) => queryClient.prefetchQuery(one)));
      }
      await Promise.race([Promise.all(others), pause(LONGEST_WAIT)]);
    },
    component: lazyRouteComponent(async () => {
      const { default: Page } = await loadChunk(screen.load);
      return {
        default: () => {
          const route = router.routesByPath[routePath(name) as never] as ReturnType<typeof routeOf>;
          return <Page params={paramsFromRoute(name, route.useParams() as never)} search={route.useSearch()} />;
        },
      };
    }),
  });
}

/** Addresses that the command-line client writes. They lead to the address that the page has now. */
const aliasOf = (alias: string, pattern: string) =>
  createRoute({
    getParentRoute: () => root,
    path: pathOf(alias),
    beforeLoad: ({ params }) => {
      throw redirect({ to: pathOf(pattern), params: params as never, replace: true });
    },
  });

const byPage = new Map<PageName, Screen>(SCREENS.map((screen) => [screen.name, screen]));

const routes = [
  ...Object.values(PAGES).flatMap((name) => {
    const screen = byPage.get(name);
    return screen ? [routeOf(name, screen)] : [];
  }),
  // The router takes an address with a slash at the end as the same address without it.
  ...Object.entries(ALIASES)
    .filter(([alias]) => !alias.endsWith('/'))
    .map(([alias, pattern]) => aliasOf(alias, pattern)),
];

export const router = createRouter({
  routeTree: root.addChildren(routes),
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

watchNavigation(router);
