import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { findRoute, routesOf } from '#infra/local/gateway/routes.ts';
import { endpoint } from '#shared/http/endpoint.ts';

const endpointAt = (path: string) =>
  endpoint({
    operation: path,
    method: 'GET',
    path,
    summary: path,
    access: 'public',
    params: z.object({}),
    query: z.object({}),
    body: { kind: 'none' },
    success: { 200: z.string() },
    errors: [],
    handler: async () => ({ status: 200, body: path }),
  });
const routes = routesOf([
  { name: 'test', endpoints: ['/r/{org}/{name+}', '/r/{org}', '/r/{org}/{a}/x', '/r/{org}/fixed'].map(endpointAt) },
]);
const find = (path: string) => {
  const match = findRoute(routes, 'GET', `/api/v2${path}`);
  return match && [match.route.key.replace('GET /api/v2', ''), match.parameters];
};

describe('a route that takes the rest of the path', () => {
  test('matches one segment or more', () => {
    expect(find('/r/acme/web')).toEqual(['/r/{org}/{name+}', { org: 'acme', name: 'web' }]);
    expect(find('/r/acme/group/web/x/y')).toEqual(['/r/{org}/{name+}', { org: 'acme', name: 'group/web/x/y' }]);
  });

  test('does not match an empty rest', () => {
    expect(find('/r/acme')).toEqual(['/r/{org}', { org: 'acme' }]);
    expect(find('/r/acme/')).toBeUndefined();
  });

  test('loses against routes with more fixed segments', () => {
    expect(find('/r/acme/fixed')).toEqual(['/r/{org}/fixed', { org: 'acme' }]);
    expect(find('/r/acme/web/x')).toEqual(['/r/{org}/{a}/x', { org: 'acme', a: 'web' }]);
  });
});
