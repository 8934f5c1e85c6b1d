import { describe, expect, test } from 'vitest';
import { routeSelector } from '#shared/http/routes.ts';

/** Returns what a selector of these routes selects: key of the route and parameters. */
const selecting = (keys: readonly string[]) => {
  const select = routeSelector(
    keys.map((key) => {
      const [method = '', path = ''] = key.split(' ');
      return { method, path };
    }),
  );
  return (key: string) => {
    const [method = '', path = ''] = key.split(' ');
    const found = select(method, path);
    return found && [`${found.route.method} ${found.route.path}`, found.parameters];
  };
};

describe('a route that takes the rest of the path', () => {
  const find = selecting(['GET /r/{org}/{name+}', 'GET /r/{org}', 'GET /r/{org}/{a}/x', 'GET /r/{org}/fixed']);

  test('matches one segment or more', () => {
    expect(find('GET /r/acme/web')).toEqual(['GET /r/{org}/{name+}', { org: 'acme', name: 'web' }]);
    expect(find('GET /r/acme/group/web/y')).toEqual(['GET /r/{org}/{name+}', { org: 'acme', name: 'group/web/y' }]);
  });

  test('does not match an empty rest', () => {
    expect(find('GET /r/acme')).toEqual(['GET /r/{org}', { org: 'acme' }]);
    expect(find('GET /r/acme/')).toBeUndefined();
    expect(find('GET /r/acme//x')).toBeUndefined();
  });

  test('loses against routes with more fixed segments', () => {
    expect(find('GET /r/acme/fixed')).toEqual(['GET /r/{org}/fixed', { org: 'acme' }]);
    expect(find('GET /r/acme/web/x')).toEqual(['GET /r/{org}/{a}/x', { org: 'acme', a: 'web' }]);
  });

  test('loses against every route that matches as a whole, also against one with fewer fixed segments', () => {
    const select = selecting(['ANY /r/fixed/{proxy+}', 'GET /{a}/{b}/{c}']);
    expect(select('GET /r/fixed/x')?.[0]).toBe('GET /{a}/{b}/{c}');
    expect(select('PUT /r/fixed/x')).toEqual(['ANY /r/fixed/{proxy+}', { proxy: 'x' }]);
  });
});

// The examples of «Develop HTTP API routes» in the guide of API Gateway.
test.each([
  ['GET /pets/dog/1', 'GET /pets/dog/1'],
  ['GET /pets/dog/2', 'GET /pets/dog/{id}'],
  ['GET /pets/cat/1', 'GET /pets/{proxy+}'],
  ['POST /test/5', 'ANY /{proxy+}'],
  ['POST /pets/dog/1', 'ANY /{proxy+}'],
])('%s takes the route %s, as the gateway of the platform selects it', (request, route) => {
  const routes = ['ANY /{proxy+}', 'GET /pets/{proxy+}', 'GET /pets/dog/{id}', 'GET /pets/dog/1'];
  expect(selecting(routes)(request)?.[0]).toBe(route);
});

test('a route that names the method wins over a route for every method', () => {
  const select = selecting(['ANY /r/{name}', 'GET /r/{id}', 'ANY /s/{proxy+}', 'GET /s/{rest+}']);
  expect(select('GET /r/1')?.[0]).toBe('GET /r/{id}');
  expect(select('PUT /r/1')?.[0]).toBe('ANY /r/{name}');
  expect(select('GET /s/1/2')).toEqual(['GET /s/{rest+}', { rest: '1/2' }]);
});

test('a path matches byte for byte: neither a slash at its end nor another case nor a double slash', () => {
  const select = selecting(['GET /r/{org}', 'GET /r']);
  for (const path of ['/r/', '/r/acme/', '/R', '/R/acme', '//r', '/r//acme', '']) {
    expect(select(`GET ${path}`)).toBeUndefined();
  }
});
