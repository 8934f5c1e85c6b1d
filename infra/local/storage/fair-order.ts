import { findPackageJSON } from 'node:module';
import { pathToFileURL } from 'node:url';

/** A message as the emulator of the queue service keeps it. */
interface KeptMessage {
  body: string;
}

/** The parts of the emulator's queue that the order of messages needs. */
interface KeptQueue {
  messages: KeptMessage[];
  inflightMessages: ReadonlyMap<string, { message: KeptMessage }>;
  dequeue(most: number, ...others: unknown[]): unknown;
}

const taught = new WeakSet<KeptQueue>();

/**
 * Teaches the emulator of the queue service the order of fair queues (rules/storage.md#queues): of the messages that wait, a receiver
 * gets those of the group with the fewest messages in work first. The emulator itself hands messages out in the order of their arrival, so
 * one organization with many messages would delay all others, which it does not in a region.
 *
 * @throws Error if the package does not have the queue that its pinned version has
 */
export async function teachFairOrder(): Promise<void> {
  const description = findPackageJSON('fauxqs', import.meta.url);
  if (description === undefined) throw new Error('The emulator of the queue service is not installed');
  const file = new URL('dist/sqs/sqsStore.js', pathToFileURL(description));
  // The package does not export the file, so it has no types here.
  const { SqsQueue } = (await import(/* @vite-ignore */ file.href)) as { SqsQueue?: { prototype: KeptQueue } };
  if (typeof SqsQueue?.prototype.dequeue !== 'function')
    throw new Error('The emulator of the queue service has no queue');
  const { prototype } = SqsQueue;
  if (taught.has(prototype)) return;
  taught.add(prototype);
  const { dequeue } = prototype;
  prototype.dequeue = function (this: KeptQueue, most, ...others) {
    putFairly(this, most);
    return dequeue.call(this, most, ...others);
  };
}

/** Moves the messages that are due next to the front of a queue. */
function putFairly(queue: KeptQueue, most: number): void {
  const inWork = [...queue.inflightMessages.values()].map(({ message }) => message);
  const next = fairest(queue.messages, inWork, most);
  const isNext = new Set(next);
  queue.messages = [...next, ...queue.messages.filter((message) => !isNext.has(message))];
}

/**
 * Returns the group of a message: its organization. The emulator forgets the group that a sender gives. Every message of the service
 * names its organization, which is also its group.
 */
const groupOf = ({ body }: KeptMessage): string => /"org":"([^"]*)"/.exec(body)?.[1] ?? '';

/**
 * Returns the messages that a receiver gets next: each of the group with the fewest messages in work, and of several such groups the one
 * whose first message has waited longest.
 */
export function fairest<M extends KeptMessage>(
  waiting: readonly M[],
  inWork: readonly KeptMessage[],
  most: number,
): M[] {
  const counts = new Map<string, number>();
  for (const message of inWork) counts.set(groupOf(message), (counts.get(groupOf(message)) ?? 0) + 1);
  const byGroup = Map.groupBy(waiting, groupOf);
  const next: M[] = [];
  while (next.length < Math.min(most, waiting.length)) {
    let chosen = '';
    let fewest = Number.POSITIVE_INFINITY;
    for (const [group, messages] of byGroup) {
      const count = counts.get(group) ?? 0;
      if (messages.length > 0 && count < fewest) [chosen, fewest] = [group, count];
    }
    const message = byGroup.get(chosen)?.shift();
    if (!message) break;
    next.push(message);
    counts.set(chosen, fewest + 1);
  }
  return next;
}
