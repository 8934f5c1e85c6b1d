import { expect, test } from 'vitest';
import { handler } from '#functions/unknown-route/index.ts';
import { REFERENCE_PAGE } from '#shared/http/reference-page.ts';
import { gatewayEvent } from '#test/support/gateway.ts';

test('a path without an endpoint is answered with 404 in JSON, with the id of the request', async () => {
  for (const path of ['/api/v2/nothing', '/api/v2/doc/nothing', '/doc/']) {
    expect(await handler(gatewayEvent({ path }))).toMatchObject({
      statusCode: 404,
      headers: { 'content-type': 'application/json', 'x-request-id': 'request-1' },
      body: '{"message":"Not Found"}',
    });
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
