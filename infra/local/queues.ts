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
import { Queue } from '#shared/queue.ts';
import { DELIVERIES_QUEUE } from '#shared/queue-definition.ts';
import { meter } from '#shared/store/meter.ts';
import { LOCAL, localClient } from './settings.ts';

/** What a function on a queue does; failures name the messages that are to come again. */
export type OnMessages = (event: SQSEvent) => Promise<SQSBatchResponse>;

/**
 * A message whose function was killed is hidden for so long, in seconds. Shorter than in a region: nobody else works on
 * it here, and no call outlives a target's time limit by much.
 */
const LOCAL_VISIBILITY = 20;
/** Seconds for which a request for messages waits until there are some. */
const LONG_POLL = 5;
/** Calls of the function at the same time: two cores have no use for as many as in a region. */
const CALLS = 8;
const FAILURE_PAUSE_MILLIS = 500;

/** Addresses name the port of this start: the emulator's own would name the one at which a queue was made. */
const urlOf = (endpoint: string, name: string): string => `${endpoint}/000000000000/${name}`;

export interface QueueAddresses {
  deliveries: string;
  deadLetters: string;
}

/** Makes the queue of deliveries and that of its dead letters, or takes them as an earlier start left them. */
export async function ensureQueues(endpoint: string, visibility = LOCAL_VISIBILITY): Promise<QueueAddresses> {
  const client = new SQSClient(localClient(endpoint));
  const addresses = { deliveries: urlOf(endpoint, 'deliveries'), deadLetters: urlOf(endpoint, 'dead-deliveries') };
  const retention = { MessageRetentionPeriod: String(DELIVERIES_QUEUE.retention) };
  try {
    await client.send(new CreateQueueCommand({ QueueName: 'dead-deliveries' }));
    await client.send(new CreateQueueCommand({ QueueName: 'deliveries' }));
    await client.send(new SetQueueAttributesCommand({ QueueUrl: addresses.deadLetters, Attributes: retention }));
    const { Attributes } = await client.send(
      new GetQueueAttributesCommand({ QueueUrl: addresses.deadLetters, AttributeNames: ['QueueArn'] }),
    );
    const redrive = { deadLetterTargetArn: Attributes?.['QueueArn'], maxReceiveCount: DELIVERIES_QUEUE.receipts };
    await client.send(
      new SetQueueAttributesCommand({
        QueueUrl: addresses.deliveries,
        Attributes: { ...retention, VisibilityTimeout: String(visibility), RedrivePolicy: JSON.stringify(redrive) },
      }),
    );
    return addresses;
  } finally {
    client.destroy();
  }
}

/** A queue on a local endpoint, as the deployed functions see theirs. */
export const localQueue = (endpoint: string, url: string): Queue =>
  new Queue(meter(new SQSClient(localClient(endpoint)), 'SQS'), url);

export interface ConsumerOptions {
  endpoint: string;
  /** Address of the queue. */
  url: string;
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
export function startConsumer({ endpoint, url, onMessages, calls = CALLS }: ConsumerOptions): Consumer {
  const client = new SQSClient({ ...localClient(endpoint), maxAttempts: 1 });
  const stopping = new AbortController();
  const { signal } = stopping;
  const receive = async (): Promise<Message[]> => {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: url,
        MaxNumberOfMessages: DELIVERIES_QUEUE.batch,
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
        const done = messages.length > 0 ? await succeeded(messages, onMessages) : [];
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
async function succeeded(messages: readonly Message[], onMessages: OnMessages): Promise<Message[]> {
  try {
    const { batchItemFailures } = await onMessages({ Records: messages.map(toRecord) });
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
function toRecord({
  MessageId = '',
  ReceiptHandle = '',
  Body = '',
  MD5OfBody = '',
  Attributes = {},
}: Message): SQSRecord {
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
    eventSourceARN: `arn:aws:sqs:${LOCAL.region}:000000000000:deliveries`,
    awsRegion: LOCAL.region,
  };
}
