import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect, onTestFinished, test } from 'vitest';
import { localDatabase } from '#infra/local/clients.ts';
import { USER_AGENT } from '#shared/base/user-agent.ts';
import { counted, newCount } from '#shared/table/meter.ts';

import { startReceiver } from '#test/support/receiver.ts';

async function setup() {
  const server = await startReceiver();
  onTestFinished(server.stop);
  const client = localDatabase(server.url);
  onTestFinished(() => client.destroy());
  const get = () => client.send(new GetCommand({ TableName: 'table', Key: { pk: 'a', sk: 's' } }));
  return { server, get };
}

test('the calls of the database client are counted', async () => {
  const { get } = await setup();
  const count = newCount();
  await counted(get, count);
  expect(count).toMatchObject({ calls: 1, sequential: 1, log: [{ name: 'DynamoDB.GetItem' }] });
});

test('the calls of the database client name the service', async () => {
  const { server, get } = await setup();
  await get();
  expect(server.requests.map(({ headers }) => headers['user-agent'])).toEqual([expect.stringContaining(USER_AGENT)]);
});
