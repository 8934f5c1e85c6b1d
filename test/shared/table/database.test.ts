import { DeleteCommand, GetCommand, PutCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, onTestFinished, test } from 'vitest';
import { afterWrites, localDatabase } from '#infra/local/clients.ts';
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

test('a client of the local database reports each write after its answer, also a failed one, and no read', async () => {
  const server = await startReceiver();
  onTestFinished(server.stop);
  const reported: number[] = [];
  const client = afterWrites(localDatabase(server.url), () => reported.push(server.requests.length));
  onTestFinished(() => client.destroy());
  const place = { TableName: 'table', Key: { pk: 'a', sk: 's' } };
  const put = new PutCommand({ TableName: 'table', Item: place.Key });
  await client.send(put);
  await client.send(new UpdateCommand(place));
  await client.send(new DeleteCommand(place));
  await client.send(new TransactWriteCommand({ TransactItems: [{ Delete: place }] }));
  expect(reported).toEqual([1, 2, 3, 4]);
  await client.send(new GetCommand(place));
  expect(reported).toHaveLength(4);
  server.answer = () => ({ status: 400 });
  await expect(client.send(put)).rejects.toThrow();
  expect(reported).toHaveLength(5);
});
