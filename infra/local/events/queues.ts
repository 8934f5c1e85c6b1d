import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { CLIENT_SETTINGS } from '#shared/base/client-settings.ts';
import { Queue } from '#shared/queues/queue.ts';
import { DELIVERIES_QUEUE, EVALUATIONS_QUEUE, type QueueDefinition } from '#shared/queues/queue-definition.ts';
import { meter } from '#shared/table/meter.ts';
import { LOCAL, localClient } from '../settings.ts';

/** What a function on a queue does; failures name the messages that are to come again. */
export type OnMessages = (event: SQSEvent) => Promise<SQSBatchResponse>;

/**
 * A message whose function was killed is hidden for so long, in seconds. Shorter than in a region: nobody else works on
 * it here, and no call outlives the time limit of a target or of a policy by much.
 */
const LOCAL_VISIBILITY = 20;
/** Seconds for which a request for messages waits until there are some. */
const LONG_POLL = 5;
const FAILURE_PAUSE_MILLIS = 500;

/** Addresses name the port of this start: the emulator's own would name the one at which a queue was made. */
const urlOf = (endpoint: string, name: string): string => `${endpoint}/000000000000/${name}`;

/**
 * The queues by their names, each with that of its dead letters. Calls of a function at the same time are fewer than in
 * a region: two cores have no use for more, and all evaluations share one process.
 */
const QUEUES = {
  deliveries: { definition: DELIVERIES_QUEUE, dead: 'dead-deliveries', calls: 8 },
  evaluations: { definition: EVALUATIONS_QUEUE, dead: 'dead-evaluations', calls: 1 },
} as const satisfies Record<string, { definition: QueueDefinition; dead: string; calls: number }>;
export type QueueName = keyof typeof QUEUES;

/** Addresses of a queue and of its dead letters. */
export interface QueueAddresses {
  url: string;
  deadLetters: string;
}

/** Makes the queues and those of their dead letters, or takes them as an earlier start left them. */
export async function ensureQueues(
  endpoint: string,
  visibility = LOCAL_VISIBILITY,
): Promise<Record<QueueName, QueueAddresses>> {
  const client = new SQSClient(localClient(endpoint));
  try {
    return {
      deliveries: await ensureQueue(client, endpoint, 'deliveries', visibility),
      evaluations: await ensureQueue(client, endpoint, 'evaluations', visibility),
    };
  } finally {
    client.destroy();
  }
}

async function ensureQueue(
  client: SQSClient,
  endpoint: string,
  name: QueueName,
  visibility: number,
): Promise<QueueAddresses> {
  const { definition, dead } = QUEUES[name];
  const addresses = { url: urlOf(endpoint, name), deadLetters: urlOf(endpoint, dead) };
  const retention = { MessageRetentionPeriod: String(definition.retention) };
  await client.send(new CreateQueueCommand({ QueueName: dead }));
  await client.send(new CreateQueueCommand({ QueueName: name }));
  await client.send(new SetQueueAttributesCommand({ QueueUrl: addresses.deadLetters, Attributes: retention }));
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: addresses.deadLetters, AttributeNames: ['QueueArn'] }),
  );
  const redrive = { deadLetterTargetArn: Attributes?.['QueueArn'], maxReceiveCount: definition.receipts };
  await client.send(
    new SetQueueAttributesCommand({
      QueueUrl: addresses.url,
      Attributes: { ...retention, VisibilityTimeout: String(visibility), RedrivePolicy: JSON.stringify(redrive) },
    }),
  );
  return addresses;
}

/** A queue on a local endpoint, as the deployed functions see theirs. */
export const localQueue = (endpoint: string, url: string): Queue =>
  new Queue(meter(new SQSClient({ ...localClient(endpoint), ...CLIENT_SETTINGS }), 'SQS'), url);

export interface ConsumerOptions {
  endpoint: string;
  queue: QueueName;
  onMessages: OnMessages;
  /** Calls of the function at the same time. */
  calls?: number;
}

export interface Consumer {
  /** Waits for the running calls, then ends. */
  stop(): Promise<void>;
}

/**
 * Hands messages of a queue to a function, as the event source of a region does: in batches, several calls at once,
 * each message at least once. What succeeded is deleted; what failed comes again when it is visible again, until it is
 * a dead letter.
 */
export function startConsumer({ endpoint, queue, onMessages, calls = QUEUES[queue].calls }: ConsumerOptions): Consumer {
  const url = urlOf(endpoint, queue);
  const client = new SQSClient({ ...localClient(endpoint), maxAttempts: 1 });
  const stopping = new AbortController();
  const { signal } = stopping;
  const receive = async (): Promise<Message[]> => {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: url,
        MaxNumberOfMessages: QUEUES[queue].definition.batch,
        WaitTimeSeconds: LONG_POLL,
        MessageSystemAttributeNames: ['All'],
      }),
      { abortSignal: signal },
    );
    return Messages;
  };
  const worker = async () => {
    while (!signal.aborted) {
      try {
        const messages = await receive();
        const done = messages.length > 0 ? await succeeded(queue, messages, onMessages) : [];
        if (done.length > 0) await remove(client, url, done);
      } catch (error) {
        if (signal.aborted) return;
        console.error('Taking messages from the queue failed and is tried again', error);
        await new Promise((resolve) => setTimeout(resolve, FAILURE_PAUSE_MILLIS));
      }
    }
  };
  const running = Promise.all(Array.from({ length: calls }, worker));
  return {
    stop: async () => {
      stopping.abort();
      await running;
      client.destroy();
    },
  };
}

/** The messages of a batch that the function is done with. */
async function succeeded(queue: QueueName, messages: readonly Message[], onMessages: OnMessages): Promise<Message[]> {
  try {
    const { batchItemFailures } = await onMessages({ Records: messages.map((message) => toRecord(queue, message)) });
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    return messages.filter(({ MessageId = '' }) => !failed.has(MessageId));
  } catch (error) {
    console.error('The function on the queue failed; its messages come again', error);
    return [];
  }
}

async function remove(client: SQSClient, url: string, messages: readonly Message[]): Promise<void> {
  await client.send(
    new DeleteMessageBatchCommand({
      QueueUrl: url,
      Entries: messages.map(({ ReceiptHandle }, i) => ({ Id: String(i), ReceiptHandle })),
    }),
  );
}

/** A message in the form in which a function gets it. */
function toRecord(
  queue: QueueName,
  { MessageId = '', ReceiptHandle = '', Body = '', MD5OfBody = '', Attributes = {} }: Message,
): SQSRecord {
  return {
    ...{ messageId: MessageId, receiptHandle: ReceiptHandle, body: Body, md5OfBody: MD5OfBody },
    attributes: {
      ...Attributes,
      ApproximateReceiveCount: Attributes.ApproximateReceiveCount ?? '1',
      SentTimestamp: Attributes.SentTimestamp ?? '0',
      SenderId: Attributes.SenderId ?? '',
      ApproximateFirstReceiveTimestamp: Attributes.ApproximateFirstReceiveTimestamp ?? '0',
    },
    messageAttributes: {},
    eventSource: 'aws:sqs',
    eventSourceARN: `arn:aws:sqs:${LOCAL.region}:000000000000:${queue}`,
    awsRegion: LOCAL.region,
  };
}
