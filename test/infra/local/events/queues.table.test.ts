import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetQueueAttributesCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { inject, it, type TestContext, vi } from 'vitest';
import {
  ensureQueues,
  localQueue,
  type OnMessages,
  type QueueName,
  startConsumer,
} from '#infra/local/events/queues.ts';
import { localClient } from '#infra/local/settings.ts';
import { startObjectsServer } from '#infra/local/storage/objects-server.ts';
import { DELIVERIES_QUEUE, EVALUATIONS_QUEUE, LOG_ENTRIES_QUEUE } from '#shared/queues/queue-definition.ts';
import { onlyLocal } from '#test/support/table.ts';

// The tests mostly wait, each for queues of its own, so they run at the same time. Such tests need the `expect` of their context.

/** Starts an emulator with queues and a consumer. Failed messages are visible again after a second. */
async function setup({ onTestFinished }: TestContext, onMessages: OnMessages, name: QueueName = 'deliveries') {
  onlyLocal(inject('sqs'));
  const server = await startObjectsServer();
  onTestFinished(() => server.stop());
  const queues = await ensureQueues(server.sqs);
  const consumer = startConsumer({ endpoint: server.sqs, queue: name, onMessages, calls: 2, visibility: 1 });
  onTestFinished(() => consumer.stop());
  const client = new SQSClient(localClient(server.sqs));
  onTestFinished(() => client.destroy());
  const count = async (url: string) => {
    const { Attributes = {} } = await client.send(
      new GetQueueAttributesCommand({
        QueueUrl: url,
        AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
      }),
    );
    return Object.values(Attributes).reduce((sum, number) => sum + Number(number), 0);
  };
  const own = queues[name];
  return { server, queues, own, client, count, queue: localQueue(server.sqs, own.url) };
}

const message = (body: unknown, delaySeconds?: number) => ({
  body,
  group: 'target',
  ...(delaySeconds !== undefined && { delaySeconds }),
});
const bodiesOf = ({ Records }: SQSEvent) => Records.map(({ body }) => JSON.parse(body) as unknown);

it.concurrent('delivers messages in batches and deletes them; delivers delayed messages after their delay', async (context) => {
  const { expect } = context;
  const got: unknown[] = [];
  const { queue, own, count } = await setup(context, async (event) => {
    expect(event.Records.length).toBeLessThanOrEqual(DELIVERIES_QUEUE.batch);
    got.push(...bodiesOf(event));
    return { batchItemFailures: [] };
  });
  await queue.send([message('late', 2), ...Array.from({ length: 55 }, (_, i) => message(i))]);
  await expect.poll(() => got.length, { timeout: 60_000 }).toBe(56);
  expect(got.at(-1)).toBe('late');
  expect(new Set(got)).toEqual(new Set(['late', ...Array.from({ length: 55 }, (_, i) => i)]));
  await expect.poll(() => count(own.url)).toBe(0);
});

it.concurrent('delivers only failed messages again, until they are dead letters', async (context) => {
  const { expect } = context;
  const got: unknown[] = [];
  const { queue, own, client, count } = await setup(context, async (event) => {
    got.push(...bodiesOf(event));
    const failed = event.Records.filter(({ body }) => body === '"poison"');
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  });
  await queue.send([message('good'), message('poison'), message('also good')]);
  await expect.poll(() => count(own.deadLetters), { timeout: 60_000 }).toBe(1);
  const { Messages } = await client.send(new ReceiveMessageCommand({ QueueUrl: own.deadLetters }));
  expect(Messages?.map(({ Body }) => Body)).toEqual(['"poison"']);
  expect(got.filter((body) => body === 'poison')).toHaveLength(DELIVERIES_QUEUE.receipts);
  expect(got.filter((body) => body !== 'poison').sort()).toEqual(['also good', 'good']);
});

it.concurrent('delivers a whole batch again if its function throws, with the number of receipts', async (context) => {
  const { expect } = context;
  const error = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const receipts: string[] = [];
  const { queue } = await setup(context, async ({ Records }) => {
    receipts.push(...Records.map(({ attributes }) => attributes.ApproximateReceiveCount));
    if (receipts.length === 1) throw new Error('the first call fails');
    return { batchItemFailures: [] };
  });
  await queue.send([message(randomUUID())]);
  await expect.poll(() => receipts, { timeout: 60_000 }).toEqual(['1', '2']);
  expect(error).toHaveBeenCalledOnce();
  error.mockRestore();
});

it.concurrent('delivers evaluations one at a time from their own queue; failed ones become dead letters', async (context) => {
  const { expect } = context;
  const got: unknown[] = [];
  const { server, queue, queues, own, count } = await setup(
    context,
    async (event) => {
      got.push(bodiesOf(event));
      const [{ messageId = '', body = '' } = {}] = event.Records;
      return { batchItemFailures: body === '"poison"' ? [{ itemIdentifier: messageId }] : [] };
    },
    'evaluations',
  );
  await localQueue(server.sqs, queues.deliveries.url).send([message('other')]);
  await queue.send([message('good'), message('poison'), message('also good')]);
  await expect.poll(() => count(own.deadLetters), { timeout: 60_000 }).toBe(1);
  expect(got.filter((bodies) => String(bodies) !== 'poison').sort()).toEqual([['also good'], ['good']]);
  expect(got.filter((bodies) => String(bodies) === 'poison')).toHaveLength(EVALUATIONS_QUEUE.receipts);
  expect(await count(queues.deliveries.url)).toBe(1);
});

it.concurrent('gathers messages of the queue of log entries for a call, and deletes more than ten of them', async (context) => {
  const { expect } = context;
  const got: unknown[][] = [];
  const { queue, own, count } = await setup(
    context,
    async (event) => {
      got.push(bodiesOf(event));
      return { batchItemFailures: [] };
    },
    'log-entries',
  );
  await queue.send(Array.from({ length: 25 }, (_, i) => message(i)));
  await expect.poll(() => got.flat().length, { timeout: 60_000 }).toBe(25);
  // Two calls share the messages. Without the window, each call would have at most ten.
  expect(got.length).toBeLessThanOrEqual(2);
  await expect.poll(() => count(own.url)).toBe(0);
});

it.concurrent('hides a received message as long as a region does', async (context) => {
  const { expect } = context;
  const { client, queues } = await setup(context, async () => ({ batchItemFailures: [] }));
  const { url: QueueUrl } = queues['log-entries'];
  const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['VisibilityTimeout'] });
  const { Attributes } = await client.send(command);
  expect(Attributes).toEqual({ VisibilityTimeout: String(LOG_ENTRIES_QUEUE.visibility) });
});

it.concurrent('delivers at once what a killed stack had received', async (context) => {
  const { expect } = context;
  onlyLocal(inject('sqs'));
  const dataDir = mkdtempSync(join(tmpdir(), 'queues-'));
  context.onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const receive = async (sqs: string) => {
    const { deliveries } = await ensureQueues(sqs);
    const client = new SQSClient(localClient(sqs));
    const { Messages = [] } = await client.send(new ReceiveMessageCommand({ QueueUrl: deliveries.url }));
    client.destroy();
    return Messages.map(({ Body }) => Body);
  };
  const before = await startObjectsServer({ dataDir });
  await localQueue(before.sqs, (await ensureQueues(before.sqs)).deliveries.url).send([message('once')]);
  expect(await receive(before.sqs)).toEqual(['"once"']);
  expect(await receive(before.sqs)).toEqual([]);
  // Nobody deletes the message, as if the stack had been killed.
  await before.stop();
  const after = await startObjectsServer({ dataDir });
  context.onTestFinished(() => after.stop());
  expect(await receive(after.sqs)).toEqual(['"once"']);
});

it.concurrent('keeps the queues of an earlier start', async (context) => {
  const { expect } = context;
  const { server, queues } = await setup(context, async () => ({ batchItemFailures: [] }));
  expect(await ensureQueues(server.sqs)).toEqual(queues);
});
