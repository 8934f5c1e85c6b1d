import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { expect, test } from 'vitest';
import { handler } from '#functions/unknown-route/index.ts';

test('a path that no endpoint has is answered with 404 in JSON, under the id of the request', async () => {
  const event = { requestContext: { requestId: 'request-1' } } as APIGatewayProxyEventV2;
  expect(await handler(event)).toMatchObject({
    statusCode: 404,
    headers: { 'content-type': 'application/json', 'x-request-id': 'request-1' },
    body: '{"message":"Not Found"}',
  });
});
