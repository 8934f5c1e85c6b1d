import { RelayMemory } from '#functions/relay/memory.ts';
import { relay } from '#functions/relay/relay.ts';
import { RELAY_USES } from '#functions/relay/uses.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import type { Services } from '#shared/http/services.ts';
import { deliveryPartition } from '#shared/notifications/records/keys.ts';
import { Delivery } from '#shared/notifications/rules/records.ts';
import type { RelayServices } from '#shared/notifications/services.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { heldTo } from './declared-uses.ts';
import { recordingEvaluations, recordingQueue, type SentMessage } from './queue.ts';
import { scanItems } from './scan-items.ts';
import { streamEvent } from './stream.ts';
import { databaseAddress } from './table.ts';

/** Every item of an organization as it lies in the table, in the order of keys. */
export async function itemsOf(table: string, org: OrganizationId): Promise<Item[]> {
  const items = await scanItems(databaseAddress(), table, org);
  return items.sort((a, b) => (`${a.pk}\n${a.sk}` < `${b.pk}\n${b.sk}` ? -1 : 1));
}

/** An item as text: sets and bytes too. */
const textOf = (item: Item): string =>
  JSON.stringify(item, (_, value: unknown) => (value instanceof Set ? [...value].sort() : value));

/** The relay of one organization, held to what it declares; every failure is an error of the test. */
export interface TestRelay {
  /** What it works with: tests may put a table in between that fails. */
  services: RelayServices;
  logged: { message: string; facts: Record<string, unknown> }[];
  /** Everything that changed since it was asked last, in the order of keys. */
  changed(): Promise<Item[]>;
  /** Hands items to the relay as the stream would. @returns whether all of it was done */
  hand(items: readonly Item[]): Promise<boolean>;
  /** Hands over what changed, and what that changed, until nothing changes any more. */
  settle(): Promise<void>;
  /** Messages that were sent since it was asked last. */
  take(): SentMessage[];
  /** A container that starts afresh: it remembers nothing. */
  restart(): void;
}

export function relayOf({ table, objects, clock }: Services, org: OrganizationId): TestRelay {
  const { queue, take } = recordingQueue();
  const services: RelayServices = {
    table,
    objects,
    clock,
    deliveries: queue,
    evaluations: recordingEvaluations().queue,
  };
  const logged: TestRelay['logged'] = [];
  const seen = new Map<string, string>();
  let memory = new RelayMemory();
  const log = (message: string, facts: Record<string, unknown>) => void logged.push({ message, facts });
  const changed = async () => {
    const items = (await itemsOf(table.name, org)).filter((item) => {
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
    return batchItemFailures.length === 0;
  };
  return {
    services,
    logged,
    changed,
    hand,
    take,
    async settle() {
      for (let items = await changed(); items.length > 0; items = await changed()) {
        if (!(await hand(items))) throw new Error(`The relay failed: ${JSON.stringify(logged)}`);
      }
    },
    restart() {
      memory = new RelayMemory();
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
