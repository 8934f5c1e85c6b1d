import { expandMessages } from '#functions/expander/expand-messages.ts';
import { EXPANDER_USES } from '#functions/expander/uses.ts';
import { RelayMemory } from '#functions/relay/memory.ts';
import { relay } from '#functions/relay/relay.ts';
import type { RelayServices } from '#functions/relay/services.ts';
import { RELAY_USES } from '#functions/relay/uses.ts';
import type { Services } from '#functions/services.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import { EnvironmentMemory } from '#shared/environments/environment-memory.ts';
import type { ExpansionMessage } from '#shared/environments/expand-message.ts';
import type { LogMessage } from '#shared/log/log-message.ts';
import { deliveryPartition } from '#shared/notifications/records/keys.ts';
import { Delivery } from '#shared/notifications/rules/records.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { heldTo } from './declared-uses.ts';
import {
  queueEvent,
  recordingExpansions,
  recordingLogEntries,
  recordingQueue,
  recordingQueues,
  type SentMessage,
} from './queue.ts';
import { scanItems } from './table/scan-items.ts';
import { streamEvent } from './table/stream.ts';
import { recordedCount } from './table/written-keys.ts';
import { databaseAddress } from './table.ts';

/**
 * Every item of an organization as it lies in the table, in the order of keys.
 *
 * @param after returns only items that were written after this many recorded writes (`recordedCount`)
 */
export async function itemsOf(table: string, org: OrganizationId, after = 0): Promise<Item[]> {
  const items = await scanItems(databaseAddress(), table, org, after);
  return items.sort((a, b) => (`${a.pk}\n${a.sk}` < `${b.pk}\n${b.sk}` ? -1 : 1));
}

/** An item as text: sets and bytes too. */
const textOf = (item: Item): string =>
  JSON.stringify(item, (_, value: unknown) => (value instanceof Set ? [...value].sort() : value));

/** The relay and the expander of one organization, held to what they declare; every failure is an error of the test. */
export interface TestRelay {
  /** What it works with: tests may put a table in between that fails. */
  services: RelayServices;
  logged: { message: string; facts: Record<string, unknown> }[];
  /** Everything that changed since it was asked last, in the order of keys. */
  changed(): Promise<Item[]>;
  /** Hands items to the relay as the stream would, and its messages to the expander. @returns whether all of it was done */
  hand(items: readonly Item[]): Promise<boolean>;
  /** Hands the messages of the queue to the expander. Those that fail stay in the queue. @returns whether none failed */
  expand(): Promise<boolean>;
  /** Hands over what changed, and what that changed, until nothing changes any more. */
  settle(): Promise<void>;
  /** Messages that were sent since it was asked last. */
  take(): SentMessage[];
  /** Messages to the integrator that were sent since it was asked last. */
  takeEntries(): LogMessage[];
  /** A container that starts afresh: it remembers nothing. */
  restart(): void;
}

export function relayOf({ table, objects, clock }: Services, org: OrganizationId): TestRelay {
  const { queue, take } = recordingQueue();
  const expansions = recordingExpansions();
  const logEntries = recordingLogEntries();
  const services: RelayServices = {
    table,
    objects,
    clock,
    ...recordingQueues(),
    deliveries: queue,
    expansions: expansions.queue,
    logEntries: logEntries.queue,
  };
  const logged: TestRelay['logged'] = [];
  const seen = new Map<string, string>();
  let memory = new RelayMemory();
  let expanderMemory = new EnvironmentMemory();
  const log = (message: string, facts: Record<string, unknown>) => void logged.push({ message, facts });
  let read = 0;
  const changed = async () => {
    const after = read;
    read = recordedCount();
    const items = (await itemsOf(table.name, org, after)).filter((item) => {
      const key = `${item.pk}\n${item.sk}`;
      const text = textOf(item);
      const differs = seen.get(key) !== text;
      seen.set(key, text);
      return differs;
    });
    return items;
  };
  const hand = async (items: readonly Item[]) => {
    const { batchItemFailures } = await heldTo('relay', RELAY_USES, () =>
      relay(streamEvent(items), services, { memory, log }),
    );
    return (await expand()) && batchItemFailures.length === 0;
  };
  const expand = async () => {
    const failed: SentMessage<ExpansionMessage>[] = [];
    for (let sent = expansions.sent.shift(); sent; sent = expansions.sent.shift()) {
      const event = queueEvent([sent.message]);
      const { batchItemFailures } = await heldTo('expander', EXPANDER_USES, () =>
        expandMessages(event, services, { memory: expanderMemory, log }),
      );
      if (batchItemFailures.length > 0) failed.push(sent);
    }
    expansions.sent.push(...failed);
    return failed.length === 0;
  };
  return {
    services,
    logged,
    changed,
    hand,
    expand,
    take,
    takeEntries: () => logEntries.take().map(({ message }) => message),
    async settle() {
      for (let items = await changed(); items.length > 0; items = await changed()) {
        if (!(await hand(items))) throw new Error(`The relay failed: ${JSON.stringify(logged)}`);
      }
    },
    restart() {
      memory = new RelayMemory();
      expanderMemory = new EnvironmentMemory();
    },
  };
}

/** The deliveries of an action in the books, of these months. */
export async function deliveriesOf(
  table: Table,
  org: OrganizationId,
  action: number,
  months: readonly string[],
): Promise<Delivery[]> {
  const found = await Promise.all(months.map((month) => table.query({ pk: deliveryPartition(org, action, month) })));
  return found
    .flat()
    .filter(({ sk }) => !sk.includes('#'))
    .map((item) => Delivery.parse(item));
}
