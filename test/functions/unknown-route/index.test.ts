import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { handler } from '#functions/unknown-route/index.ts';
import { buildConsole } from '#infra/bundles/console.ts';
import { ALIASES, PAGES } from '#shared/console/pages.ts';
import { REFERENCE_PAGE } from '#shared/http/reference-page.ts';
import { gatewayEvent, type TestRequest } from '#test/support/gateway.ts';

const BUILD_MILLIS = 60_000;
const NOT_FOUND = {
  statusCode: 404,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store', 'x-request-id': 'request-1' },
  body: '{"message":"Not Found","request_id":"request-1"}',
};
/** What browsers send for an address that somebody opens. */
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

const open = ({ headers, ...request }: TestRequest) =>
  handler(gatewayEvent({ ...request, headers: { ...BROWSER, ...headers } }));

test('a path without an endpoint is answered with 404 in JSON, with the id of the request', async () => {
  for (const path of ['/api/v2/nothing', '/api/v2/doc/nothing', '/doc/', '/demo', '/demo/flows/web']) {
    expect(await handler(gatewayEvent({ path }))).toMatchObject(NOT_FOUND);
  }
});

test('the address of the reference page with a slash at its end answers the page, for GET only', async () => {
  expect(await handler(gatewayEvent({ path: '/api/v2/doc/' }))).toMatchObject({
    statusCode: 200,
    headers: { 'content-type': 'text/html; charset=utf-8', 'x-content-type-options': 'nosniff' },
    body: REFERENCE_PAGE,
  });
  expect(await handler(gatewayEvent({ method: 'POST', path: '/api/v2/doc/' }))).toMatchObject({ statusCode: 404 });
});

describe('the shell of the console', () => {
  beforeAll(() => buildConsole(), BUILD_MILLIS);

  it('is answered at the address of every page, and must be asked for again each time', async () => {
    for (const pattern of [...Object.keys(PAGES), ...Object.keys(ALIASES)]) {
      const path = pattern.replace(/\{\w+:digits\}/, '12').replaceAll(/\{(\w+)\+?\}/g, '$1');
      expect([path, await open({ path })]).toMatchObject([
        path,
        {
          statusCode: 200,
          headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache', vary: 'accept' },
          body: expect.stringContaining('<div id="root">'),
        },
      ]);
    }
  });

  it('has status 404 and is not stored at the address of no page', async () => {
    for (const path of ['/demo/nothing', '/-/nothing', '/demo/flows/']) {
      const answer = await open({ path });
      expect(answer).toMatchObject({ statusCode: 404, headers: { 'cache-control': 'no-store' } });
      expect(answer.headers).not.toHaveProperty('etag');
      expect(answer.body).toContain('<div id="root">');
    }
  });

  it.each([
    { path: '/api' },
    { path: '/api/v2/flows/demo/web/nothing' },
    { path: '/ready/' },
    { path: '/-/assets/nothing.js' },
    { path: '/-/assets/' },
    { path: '/demo', method: 'POST' },
    { path: '/demo', headers: { accept: '*/*' } },
    { path: '/demo', headers: { accept: 'application/json' } },
  ])('is not answered to %j', async (request) => {
    expect(await open(request)).toMatchObject(NOT_FOUND);
  });

  it('tells the page which release it is', async () => {
    const { body } = await open({ path: '/demo' });
    expect(body).toContain('<meta name="release" content="Version unknown, commit unknown, data format 1"></head>');
  });

  it('is answered without a body to HEAD, with the headers of GET', async () => {
    const [get, head] = [await open({ path: '/demo' }), await open({ path: '/demo', method: 'HEAD' })];
    expect(head).toEqual({ ...get, body: '' });
  });

  it('is answered with 304 to a browser that has it', async () => {
    const { headers } = await open({ path: '/demo' });
    const etag = headers['etag'] ?? '';
    for (const sent of [etag, etag.replace('W/', ''), `"other", ${etag}`, '*']) {
      const answer = await open({ path: '/demo', headers: { 'if-none-match': sent } });
      expect(answer).toMatchObject({ statusCode: 304, headers: { etag, 'cache-control': 'no-cache' } });
      expect(answer.body).toBeUndefined();
    }
    expect((await open({ path: '/demo', headers: { 'if-none-match': '"other"' } })).statusCode).toBe(200);
    expect((await open({ path: '/demo/x', headers: { 'if-none-match': etag } })).statusCode).toBe(404);
  });

  it('has no script and no style in it, and allows only those of its own origin', async () => {
    const { body = '', headers } = await open({ path: '/demo' });
    expect(body).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc="\/-\/assets\/[\w.-]+")|javascript:/i);
    const policy = headers['content-security-policy'] ?? '';
    expect(policy.split('; ').toSorted()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "img-src 'self' data:",
      "require-trusted-types-for 'script'",
      "script-src 'self'",
      "style-src 'self'",
      "trusted-types 'none'",
    ]);
    expect(headers).toMatchObject({
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': expect.stringContaining('camera=()'),
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
    });
  });

  it('has at most 1,500 bytes when it is compressed', async () => {
    const { body = '' } = await open({ path: '/demo' });
    expect(gzipSync(body).length).toBeLessThanOrEqual(1_500);
  });
});
