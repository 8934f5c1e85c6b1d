import {
  ChangeMessageVisibilityBatchCommand,
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
import { batchesOf } from '#shared/base/parallel.ts';
import { messagesIn } from '#shared/queues/messages-in.ts';
import { Queue } from '#shared/queues/queue.ts';
import {
  DELIVERIES_QUEUE,
  EVALUATIONS_QUEUE,
  EXPANSIONS_QUEUE,
  EXPORTS_QUEUE,
  LOG_ENTRIES_QUEUE,
  type QueueDefinition,
  VISITS_QUEUE,
} from '#shared/queues/queue-definition.ts';
import { meter } from '#shared/table/meter.ts';
import { LOCAL, localClient } from '../settings.ts';
import { pause } from './pause.ts';

/** A function on a queue. It returns the ids of the messages that failed; the queue delivers these again. */
export type OnMessages = (event: SQSEvent) => Promise<SQSBatchResponse>;
/** The answer of such a function as a process may give it. Without an answer all messages succeeded. */
type BatchAnswer = SQSBatchResponse | null | undefined;

/** After how many seconds a message whose function failed is delivered again. A region takes longer. */
const LOCAL_VISIBILITY = 20;
/** How long a request waits for messages, in seconds: the longest time that the queue service allows. */
const LONG_POLL = 20;
const FAILURE_PAUSE_MILLIS = 500;
/** The queue service hands out and deletes at most this many messages at once. */
const MESSAGES_PER_CALL = 10;
/** How long a consumer that gathers messages waits after it found none. A request takes as long as a write of a message. */
const GATHERING_PAUSE_MILLIS = 500;

/** Returns the address of a queue at this start's port. The emulator itself keeps the port of the start that created it. */
const urlOf = (endpoint: string, name: string): string => `${endpoint}/000000000000/${name}`;

/**
 * The queues by name, each with the name of its dead-letter queue (rules/storage.md#queues). `calls` is the number of calls
 * at the same time. It is lower than in a region: a machine has few cores, and all evaluations share one child process.
 */
const QUEUES = {
  deliveries: { definition: DELIVERIES_QUEUE, dead: 'dead-deliveries', calls: 8 },
  expansions: { definition: EXPANSIONS_QUEUE, dead: 'dead-expansions', calls: 4 },
  evaluations: { definition: EVALUATIONS_QUEUE, dead: 'dead-evaluations', calls: 1 },
  'log-entries': { definition: LOG_ENTRIES_QUEUE, dead: 'dead-log-entries', calls: 2 },
  exports: { definition: EXPORTS_QUEUE, dead: 'dead-exports', calls: 1 },
  visits: { definition: VISITS_QUEUE, dead: 'dead-visits', calls: 1 },
} as const satisfies Record<string, { definition: QueueDefinition; dead: string; calls: number }>;
const RELAY_FAILURES = 'relay-failures';
export type QueueName = keyof typeof QUEUES;

/** Addresses of a queue and of its dead-letter queue. */
interface QueueAddresses {
  url: string;
  deadLetters: string;
}

/** Creates the queues and their dead-letter queues. Queues of an earlier start are kept with their messages. */
export async function ensureQueues(
  endpoint: string,
): Promise<Record<QueueName, QueueAddresses> & { relayFailures: string }> {
  const client = new SQSClient(localClient(endpoint));
  try {
    return {
      deliveries: await ensureQueue(client, endpoint, 'deliveries'),
      expansions: await ensureQueue(client, endpoint, 'expansions'),
      evaluations: await ensureQueue(client, endpoint, 'evaluations'),
      'log-entries': await ensureQueue(client, endpoint, 'log-entries'),
      exports: await ensureQueue(client, endpoint, 'exports'),
      visits: await ensureQueue(client, endpoint, 'visits'),
      relayFailures: await ensureDestination(client, endpoint),
    };
  } finally {
    client.destroy();
  }
}

/** Returns how many messages each queue has, with those that a function has received and not ended. */
export async function waitingMessages(endpoint: string): Promise<Map<QueueName, number>> {
  const client = new SQSClient(localClient(endpoint));
  const waiting = new Map<QueueName, number>();
  try {
    // `Object.keys` forgets the names of queues.
    for (const name of Object.keys(QUEUES) as QueueName[])
      waiting.set(name, await messagesIn(client, urlOf(endpoint, name)));
  } finally {
    client.destroy();
  }
  return waiting;
}

/** Creates the queue of messages about records that the relay's event source gave up. @returns its address */
async function ensureDestination(client: SQSClient, endpoint: string): Promise<string> {
  const QueueUrl = urlOf(endpoint, RELAY_FAILURES);
  await client.send(new CreateQueueCommand({ QueueName: RELAY_FAILURES }));
  const Attributes = { MessageRetentionPeriod: String(DELIVERIES_QUEUE.retention) };
  await client.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
  return QueueUrl;
}

async function ensureQueue(client: SQSClient, endpoint: string, name: QueueName): Promise<QueueAddresses> {
  const { definition, dead }: { definition: QueueDefinition; dead: string } = QUEUES[name];
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
      Attributes: {
        ...retention,
        VisibilityTimeout: String(definition.visibility),
        RedrivePolicy: JSON.stringify(redrive),
      },
    }),
  );
  return addresses;
}

/** Creates a queue client with the settings of the deployed functions. */
export const localQueue = (endpoint: string, url: string): Queue =>
  new Queue(meter(new SQSClient({ ...localClient(endpoint), ...CLIENT_SETTINGS }), 'SQS'), url);

interface ConsumerOptions {
  endpoint: string;
  queue: QueueName;
  onMessages: OnMessages;
  /** Calls of the function at the same time. */
  calls?: number;
  /** After how many seconds a failed message is delivered again. */
  visibility?: number | undefined;
}

interface Consumer {
  /** Waits for the running calls, then ends. */
  stop(): Promise<void>;
}

/**
 * Passes the messages of a queue to a function, as the event source of a region does: in batches, in several calls at the
 * same time, each message at least once. Messages that succeed are deleted. Messages that fail become visible again, and
 * go to the dead letters after the last receipt.
 */
export function startConsumer({
  endpoint,
  queue,
  onMessages,
  calls = QUEUES[queue].calls,
  visibility = LOCAL_VISIBILITY,
}: ConsumerOptions): Consumer {
  const url = urlOf(endpoint, queue);
  const client = new SQSClient({ ...localClient(endpoint), maxAttempts: 1 });
  const stopping = new AbortController();
  const { signal } = stopping;
  const { batch, window = 0 }: QueueDefinition = QUEUES[queue].definition;
  const receive = async (most: number, waitSeconds: number): Promise<Message[]> => {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: url,
        MaxNumberOfMessages: Math.min(most, MESSAGES_PER_CALL),
        WaitTimeSeconds: waitSeconds,
        MessageSystemAttributeNames: ['All'],
      }),
      // Only a request that waits is aborted: what another one received would be hidden for a while.
      waitSeconds > 0 ? { abortSignal: signal } : {},
    );
    return Messages;
  };
  /** Gathers more messages after the first ones, until the window is over or the batch is full. */
  const gather = async (messages: Message[]): Promise<void> => {
    const end = performance.now() + window * 1_000;
    while (messages.length > 0 && messages.length < batch && performance.now() < end && !signal.aborted) {
      const more = await receive(batch - messages.length, 0);
      if (more.length === 0) await pause(GATHERING_PAUSE_MILLIS, signal);
      messages.push(...more);
    }
  };
  const work = async (messages: Message[]) => {
    const succeeded = new Set<Message>();
    try {
      await gather(messages);
      for (const message of await callFunction(queue, messages, onMessages)) succeeded.add(message);
      await deleteMessages(client, url, [...succeeded]);
    } finally {
      await showLater(
        client,
        url,
        messages.filter((message) => !succeeded.has(message)),
        visibility,
      );
    }
  };
  const worker = async () => {
    while (!signal.aborted) {
      try {
        const messages = await receive(batch, LONG_POLL);
        if (messages.length > 0) await work(messages);
      } catch (error) {
        if (signal.aborted) return;
        console.error('Receiving messages from the queue failed; the consumer retries', error);
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

/** @returns the messages that succeeded */
async function callFunction(
  queue: QueueName,
  messages: readonly Message[],
  onMessages: OnMessages,
): Promise<Message[]> {
  try {
    const answer = await onMessages({ Records: messages.map((message) => toRecord(queue, message)) });
    return succeededMessages(messages, answer);
  } catch (error) {
    console.error('The function on the queue failed; the queue delivers its messages again', error);
    return [];
  }
}

/**
 * Returns the messages of a batch that succeeded, as the event source of a region reads an answer: all of them if the answer
 * names no failure, none if it names a message that is not in the batch.
 */
export function succeededMessages(messages: readonly Message[], answer: BatchAnswer): Message[] {
  const failed = new Set(answer?.batchItemFailures?.map(({ itemIdentifier }) => itemIdentifier));
  const ids = new Set(messages.map(({ MessageId }) => MessageId));
  if ([...failed].some((id) => !ids.has(id))) return [];
  return messages.filter(({ MessageId = '' }) => !failed.has(MessageId));
}

async function deleteMessages(client: SQSClient, url: string, messages: readonly Message[]): Promise<void> {
  for (const batch of batchesOf(messages, MESSAGES_PER_CALL)) {
    const Entries = batch.map(({ ReceiptHandle }, i) => ({ Id: String(i), ReceiptHandle }));
    await client.send(new DeleteMessageBatchCommand({ QueueUrl: url, Entries }));
  }
}

/** Delivers failed messages again after some seconds, and not only after the time for which a received message is hidden. */
async function showLater(
  client: SQSClient,
  url: string,
  messages: readonly Message[],
  VisibilityTimeout: number,
): Promise<void> {
  for (const batch of batchesOf(messages, MESSAGES_PER_CALL)) {
    const Entries = batch.map(({ ReceiptHandle }, i) => ({ Id: String(i), ReceiptHandle, VisibilityTimeout }));
    await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: url, Entries }));
  }
}

/** Returns a message in the form that Lambda passes to functions. */
function toRecord(
  queue: QueueName,
  { MessageId = '', ReceiptHandle = '', Body = '', MD5OfBody = '', Attributes = {} }: Message,
): SQSRecord {
  return {
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    md5OfBody: MD5OfBody,
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
