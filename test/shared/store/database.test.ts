import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect, onTestFinished, test } from 'vitest';
import { localDatabase } from '#infra/local/clients.ts';
import { databaseClient } from '#shared/store/database.ts';
import { USER_AGENT } from '#shared/user-agent.ts';

test("the client of the database counts its calls, and makes no lines for the SDK's own log", () => {
  const steps = databaseClient({ region: 'eu-central-1' }).middlewareStack.identify().join('\n');
  expect(steps).toContain('call-meter');
  expect(steps).not.toMatch(/log/i);
});

test('its calls say whose they are, in the same words every time', async () => {
  const heard: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    heard.push(request.headers);
    request.resume().on('end', () => response.setHeader('content-type', 'application/x-amz-json-1.0').end('{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = localDatabase(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  for (const pk of ['a', 'b']) await client.send(new GetCommand({ TableName: 'table', Key: { pk, sk: 's' } }));
  expect(heard.map((headers) => headers['user-agent'])).toEqual([USER_AGENT, USER_AGENT]);
  expect(heard.map((headers) => headers['x-amz-user-agent'])).toEqual([undefined, undefined]);
});
