import { describe, expect, it } from 'vitest';
import { groups } from '#functions/groups.ts';
import { handler as unknownRoute } from '#functions/unknown-route/index.ts';
import { gatewayRoutes, isPublicDoor, routeKey } from '#infra/gateway-routes.ts';
import { BASE_PATH } from '#shared/base/addresses.ts';
import { fullPath } from '#shared/http/gateway-event.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { ANY, routeSelector } from '#shared/http/routes.ts';
import { call } from '#test/support/gateway.ts';
import { aRoute } from './synthesized.ts';

const routes = gatewayRoutes(groups);
const select = routeSelector(routes);
const endpoints = groups.flatMap((group) =>
  group.endpoints.map(({ method, path, operation }) => ({ group, method, path: fullPath(path), operation })),
);

/** A path of an endpoint. Its values are no fixed segment of any endpoint. */
const filled = (path: string) => path.replace(/\{\w+\+\}/g, 'zz/zz').replace(/\{\w+\}/g, 'zz');

/** Whether one path can match both patterns. */
const overlap = (one: string, other: string): boolean => {
  const [left, right] = [one.split('/'), other.split('/')];
  const isOpen = (segments: string[]) => segments.at(-1)?.endsWith('+}') ?? false;
  const length = Math.min(left.length, right.length);
  if (left.length !== right.length && !isOpen(left.length < right.length ? left : right)) return false;
  return left.slice(0, length).every((a, i) => a === right[i] || a.startsWith('{') || right[i]?.startsWith('{'));
};

describe('the routes of the gateway', () => {
  it.each(endpoints)('lead $method $path to the function of its group', ({ method, path, group }) => {
    expect(select(method, filled(path))?.route.group.name).toBe(group.name);
  });

  it('leave no path to two groups: no path matches endpoints of two groups with the same method', () => {
    const shared = endpoints.flatMap((one, i) =>
      endpoints
        .slice(i + 1)
        .filter((two) => one.group !== two.group && one.method === two.method && overlap(one.path, two.path))
        .map((two) => `${one.operation} and ${two.operation}`),
    );
    expect(shared).toEqual([]);
    expect(overlap('/a/{org}/x', '/a/b/{name}')).toBe(true);
    expect(overlap('/a/{name+}', '/a/b/c')).toBe(true);
    expect(overlap('/a/{org}', '/a/b/c')).toBe(false);
  });

  it('are one per prefix, and one for each endpoint below the prefix of another group', () => {
    const prefixes = routes.filter(({ method }) => method === ANY).map(({ path }) => path);
    expect(new Set(prefixes).size).toBe(prefixes.length);
    for (const path of prefixes) expect(path).toMatch(/^\/api\/v2\/[a-z-]+\/\{proxy\+\}$/);
    const single = routes
      .filter(({ method }) => method !== ANY)
      .map((route) => `${routeKey(route)} ${route.group.name}`);
    expect(single.filter((text) => text.startsWith('GET /api/v2/user'))).toEqual([
      'GET /api/v2/user user',
      'GET /api/v2/user/sign-in sign-in',
      'GET /api/v2/user/sign-in/callback sign-in',
    ]);
    expect(routes.length).toBeLessThan(endpoints.length / 3);
  });

  it('cannot be made if two groups have endpoints below a prefix that has the name of neither and that neither owns', () => {
    const group = (name: string, path: string) => ({ name, endpoints: [aRoute('GET', path)] });
    const made = () => gatewayRoutes([group('a', '/things/{org}'), group('b', '/things/{org}/more')]);
    expect(made).toThrow(
      'a, b have endpoints below /api/v2/things: one of the groups must have the name of the prefix, or own it',
    );
    const named = gatewayRoutes([group('a', '/things/{org}/more'), group('things', '/things/{org}')]);
    const routesOfThings = ['ANY /api/v2/things/{proxy+}', 'GET /api/v2/things/{org}/more'];
    expect(named.map(routeKey)).toEqual(routesOfThings);
    const owned = gatewayRoutes([
      group('a', '/things/{org}/more'),
      { ...group('b', '/things/{org}'), owns: ['things'] },
    ]);
    expect(owned.map(routeKey)).toEqual(routesOfThings);
  });

  it('cannot be made if two endpoints differ only in the names of path parameters', () => {
    const endpoint = (path: string) => aRoute('GET', path);
    const group = { name: 'flows', endpoints: [endpoint('/flows/{org}/{name}'), endpoint('/flows/{org}/{flow_name}')] };
    expect(() => gatewayRoutes([group])).toThrow('have the same route');
  });
});

describe('a public door', () => {
  it('is a group that strangers reach and that uses more than its own files', () => {
    expect(groups.filter(isPublicDoor).map(({ name }) => name)).toEqual(['token', 'sign-in', 'witness']);
  });

  it('has routes that lead to no endpoint with a key, so that its limit meets strangers only', () => {
    for (const { method, path, group } of endpoints) {
      const found = select(method, filled(path));
      expect(found && isPublicDoor(found.route.group)).toBe(isPublicDoor(group));
    }
  });
});

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

/** Paths that look like that of an endpoint. Some are paths of endpoints. */
const variants = (path: string): string[] => [
  path,
  `${path}/`,
  `${path}//`,
  `${path}/unknown`,
  path.replace(/\/([^/]*)$/, '//$1'),
  path.replace(/\/[^/]*$/, ''),
  path.replace(/\/[^/]*$/, '/'),
  path.toUpperCase(),
];

const withoutTable = (): never => {
  throw new Error('An unknown path needs no services');
};

describe('a request that no endpoint matches', () => {
  const isEndpoint = routeSelector(endpoints);
  const unknown = [...new Set(endpoints.flatMap(({ path }) => variants(filled(path))))].flatMap((path) =>
    METHODS.filter((method) => !isEndpoint(method, path)).map((method) => ({ method, path })),
  );
  const groupOf = ({ method, path }: { method: string; path: string }) => select(method, path)?.route.group;

  it('reaches the function of a group only below the prefix of the group', () => {
    const [below, others] = [unknown.filter(groupOf), unknown.filter((request) => !groupOf(request))];
    expect([below.length, others.length].every((count) => count > 1000)).toBe(true);
    for (const request of below) expect(request.path.startsWith(`${BASE_PATH}/`)).toBe(true);
  });

  it.each([
    ['without a key', {}],
    ['with a key that nobody issued', { authorization: 'Bearer nonsense' }],
    ['of a browser', { accept: 'text/html', 'sec-fetch-mode': 'navigate' }],
  ])('gets the answer of the function for unknown routes from every group: %s', async (_, headers) => {
    const handlers = new Map(
      groups.map((group) => [group, groupHandler(group, withoutTable, { log: () => undefined })]),
    );
    for (const request of unknown) {
      const group = groupOf(request);
      const handler = group && handlers.get(group);
      if (!handler) continue;
      const [answer, expected] = await Promise.all([
        call(handler, { ...request, headers }),
        call(unknownRoute, { ...request, headers }),
      ]);
      expect({ ...request, ...answer }).toEqual({ ...request, ...expected });
      expect([answer.status, answer.json]).toEqual([404, { message: 'Not Found' }]);
    }
  });
});
