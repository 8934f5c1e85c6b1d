import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { batchesOf, inParallel } from '#shared/base/parallel.ts';
import { retrying } from '#shared/base/retry.ts';

/** A message to send. */
export interface QueueMessage {
  /** Any value that `JSON.stringify` accepts; it is sent as JSON. */
  body: unknown;
  /** The queue is fair between groups: many messages of one group do not delay other groups (rules/storage.md#queues). */
  group: string;
  /** Whole seconds, at most {@link LONGEST_DELAY_SECONDS}. */
  delaySeconds?: number;
}

/** The longest delay that the queue service accepts. */
export const LONGEST_DELAY_SECONDS = 900;
/** The most messages that the queue service accepts in one call. */
const BATCH_LIMIT = 10;
/** Concurrent calls. */
const WIDTH = 4;

/** Sends messages to one queue. */
export class Queue {
  readonly #client: Pick<SQSClient, 'send'>;
  readonly #url: string;

  constructor(client: Pick<SQSClient, 'send'>, url: string) {
    this.#client = client;
    this.#url = url;
  }

  /**
   * Sends all messages in batches of ten. Retries messages that the service did not accept, with full jitter.
   * @throws Error if the service refuses a message for good; Contention if it is busy for too long
   */
  async send(messages: readonly QueueMessage[]): Promise<void> {
    await inParallel(batchesOf(messages, BATCH_LIMIT), WIDTH, (batch) => this.#sendBatch(batch));
  }

  async #sendBatch(batch: readonly QueueMessage[]): Promise<void> {
    let entries = batch.map(({ body, group, delaySeconds }, i) => ({
      Id: String(i),
      MessageBody: JSON.stringify(body),
      MessageGroupId: group,
      ...(delaySeconds !== undefined && delaySeconds > 0 && { DelaySeconds: delaySeconds }),
    }));
    await retrying(async () => {
      const { Failed = [] } = await this.#client.send(
        new SendMessageBatchCommand({ QueueUrl: this.#url, Entries: entries }),
      );
      const refused = Failed.find(({ SenderFault }) => SenderFault);
      if (refused) throw new Error(`The queue refused a message: ${refused.Code}`);
      const failed = new Set(Failed.map(({ Id }) => Id));
      entries = entries.filter(({ Id }) => failed.has(Id));
      return entries.length === 0 ? 'done' : 'again';
    });
  }
}
