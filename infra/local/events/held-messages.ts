import { ChangeMessageVisibilityBatchCommand, type Message, type SQSClient } from '@aws-sdk/client-sqs';
import { batchesOf } from '#shared/base/parallel.ts';

/**
 * How long a received message is hidden, in seconds. It is short, so that a message of a killed stack comes back soon. While a
 * function works on a message, the consumer hides it again and again.
 */
export const HELD_SECONDS = 5;
/** How often the consumer hides its messages again, in milliseconds. */
const AGAIN_MILLIS = (HELD_SECONDS * 1_000) / 4;
/** The queue service changes at most this many messages at once. */
const MESSAGES_PER_CALL = 10;

/** The messages that a consumer has received and not finished. It keeps them hidden from other receivers. */
export class HeldMessages {
  readonly #client: SQSClient;
  readonly #url: string;
  readonly #messages: Message[] = [];
  readonly #end: number;
  readonly #timer: NodeJS.Timeout;

  /** @param seconds after this time the messages are not hidden again, as if the time of the function were over */
  constructor(client: SQSClient, url: string, seconds: number) {
    this.#client = client;
    this.#url = url;
    this.#end = performance.now() + seconds * 1_000;
    this.#timer = setInterval(() => void this.#holdOn(), AGAIN_MILLIS);
  }

  add(messages: readonly Message[]): void {
    this.#messages.push(...messages);
  }

  /** Ends the holding. @param failed messages that come again after `seconds` */
  async release(failed: readonly Message[], seconds: number): Promise<void> {
    clearInterval(this.#timer);
    await this.#hide(failed, seconds);
  }

  async #holdOn(): Promise<void> {
    if (performance.now() > this.#end) return clearInterval(this.#timer);
    try {
      await this.#hide(this.#messages, HELD_SECONDS);
    } catch (error) {
      console.error('Messages could not be hidden for longer; the queue may deliver them again', error);
    }
  }

  async #hide(messages: readonly Message[], seconds: number): Promise<void> {
    for (const batch of batchesOf(messages, MESSAGES_PER_CALL)) {
      const Entries = batch.map(({ ReceiptHandle }, i) => ({
        Id: String(i),
        ReceiptHandle,
        VisibilityTimeout: seconds,
      }));
      await this.#client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: this.#url, Entries }));
    }
  }
}
