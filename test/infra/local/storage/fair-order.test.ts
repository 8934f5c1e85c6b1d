import {
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { localClient } from '#infra/local/settings.ts';
import { fairest } from '#infra/local/storage/fair-order.ts';
import { type ObjectsServer, startObjectsServer } from '#infra/local/storage/objects-server.ts';

const message = (org: string, id: number) => ({ body: JSON.stringify({ org, id }), id });

describe('the order of fair queues', () => {
  test('prefers the group with the fewest messages in work, and the oldest of several such groups', () => {
    const waiting = [message('loud', 1), message('loud', 2), message('quiet', 3), message('calm', 4)];
    expect(fairest(waiting, [], 3).map(({ id }) => id)).toEqual([1, 3, 4]);
    expect(
      fairest(waiting, [message('loud', 5), message('loud', 6), message('calm', 7)], 3).map(({ id }) => id),
    ).toEqual([3, 4, 1]);
  });

  test('keeps the order of arrival inside a group, and hands out no message twice', () => {
    const waiting = Array.from({ length: 30 }, (_, id) => message(`group-${id % 3}`, id));
    const next = fairest(waiting, [], 30).map(({ id }) => id);
    expect(next.toSorted((a, b) => a - b)).toEqual(waiting.map(({ id }) => id));
    for (const group of [0, 1, 2]) {
      const own = next.filter((id) => id % 3 === group);
      expect(own).toEqual(own.toSorted((a, b) => a - b));
    }
  });

  test('hands out nothing of an empty queue, and messages without an organization like those of one', () => {
    expect(fairest([], [message('loud', 1)], 10)).toEqual([]);
    const [one, two] = [{ body: 'not JSON' }, { body: '{}' }];
    expect(fairest([one, two, message('quiet', 3)], [one], 2)).toEqual([message('quiet', 3), one]);
  });
});

describe('a queue of the local stack', () => {
  let server: ObjectsServer;
  let client: SQSClient;
  let QueueUrl: string;
  beforeAll(async () => {
    server = await startObjectsServer();
    client = new SQSClient(localClient(server.sqs));
    await client.send(new CreateQueueCommand({ QueueName: 'fair' }));
    QueueUrl = `${server.sqs}/000000000000/fair`;
  });
  afterAll(async () => {
    client.destroy();
    await server.stop();
  });

  const send = (group: string, bodies: readonly string[]) =>
    client.send(
      new SendMessageBatchCommand({
        QueueUrl,
        Entries: bodies.map((id) => ({
          Id: id,
          MessageBody: JSON.stringify({ org: group, id }),
          MessageGroupId: group,
        })),
      }),
    );
  const receive = async (most: number) => {
    const { Messages = [] } = await client.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: most }));
    return Messages.map(({ Body = '', ReceiptHandle }) => ({
      ...z.object({ id: z.string() }).parse(JSON.parse(Body)),
      ReceiptHandle,
    }));
  };

  test('gives a message that came last first, if its group has none in work', async () => {
    await send('loud', ['l1', 'l2', 'l3', 'l4']);
    const [first] = await receive(1);
    await send('quiet', ['q1']);
    expect((await receive(1)).map(({ id }) => id)).toEqual(['q1']);
    await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: first?.ReceiptHandle }));
    expect((await receive(10)).map(({ id }) => id)).toEqual(['l2', 'l3', 'l4']);
  });
});
