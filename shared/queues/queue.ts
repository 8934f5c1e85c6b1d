import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { inParallel } from '#shared/base/parallel.ts';
import { retrying } from '#shared/base/retry.ts';

/** A message to be: its body is sent as JSON. */
export interface QueueMessage {
  body: unknown;
  /** Messages of one group wait for each other's turn, so that no group starves another: a fair queue (design §6). */
  group: string;
  /** Whole seconds, at most {@link LONGEST_DELAY_SECONDS}. */
  delaySeconds?: number;
}

/** The longest that the queue service holds a message back. */
export const LONGEST_DELAY_SECONDS = 900;
/** Messages that it takes in one call. */
const BATCH_LIMIT = 10;
/** Calls at the same time. */
const WIDTH = 4;

/** A queue that messages are sent to. */
export class Queue {
  readonly #client: Pick<SQSClient, 'send'>;
  readonly #url: string;

  constructor(client: Pick<SQSClient, 'send'>, url: string) {
    this.#client = client;
    this.#url = url;
  }

  /**
   * Sends all messages, ten at a time; those that the service did not take are tried again with full jitter.
   * @throws Error for a message that it will never take; Contention when it is busy for too long
   */
  async send(messages: readonly QueueMessage[]): Promise<void> {
    const batches: QueueMessage[][] = [];
    for (let i = 0; i < messages.length; i += BATCH_LIMIT) batches.push(messages.slice(i, i + BATCH_LIMIT));
    await inParallel(batches, WIDTH, (batch) => this.#sendBatch(batch));
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
