import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect, onTestFinished, test } from 'vitest';
import { localDatabase } from '#infra/local/clients.ts';
import { USER_AGENT } from '#shared/base/user-agent.ts';
import { databaseClient } from '#shared/table/database.ts';
import { startReceiver } from '#test/support/receiver.ts';

test("the client of the database counts its calls, and makes no lines for the SDK's own log", () => {
  const steps = databaseClient({ region: 'eu-central-1' }).middlewareStack.identify().join('\n');
  expect(steps).toContain('call-meter');
  expect(steps).not.toMatch(/log/i);
});

test('its calls say whose they are, in the same words every time', async () => {
  const server = await startReceiver();
  onTestFinished(server.stop);
  const client = localDatabase(server.url);
  onTestFinished(() => client.destroy());
  for (const pk of ['a', 'b']) await client.send(new GetCommand({ TableName: 'table', Key: { pk, sk: 's' } }));
  const heard = server.requests.map(({ headers }) => headers);
  expect(heard.map((headers) => headers['user-agent'])).toEqual([USER_AGENT, USER_AGENT]);
  expect(heard.map((headers) => headers['x-amz-user-agent'])).toEqual([undefined, undefined]);
});
