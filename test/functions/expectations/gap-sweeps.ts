import { RelayMemory } from '#functions/relay/memory.ts';
import { relay } from '#functions/relay/relay.ts';
import { sweepEvents } from '#functions/relay/sweeps/sweep-events.ts';
import { visitOrganizations } from '#functions/relay/sweeps/visit-organizations.ts';
import { RELAY_USES } from '#functions/relay/uses.ts';
import { passesFilter } from '#infra/event-source.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import { ENVIRONMENTS } from '#shared/environments/rules/series-kinds.ts';
import { evaluationsOf } from '#shared/evaluations/explain-decisions.ts';
import { askForLooks } from '#shared/expectations/gaps/ask-for-looks.ts';
import { readExpecting } from '#shared/expectations/records/expecting-organizations.ts';
import { gapList } from '#shared/expectations/records/keys.ts';
import type { Queue } from '#shared/queues/queue.ts';
import { cataloguePartition } from '#shared/series/keys.ts';
import { SweepParts } from '#shared/sweeps/sweep-parts.ts';
import { imageOf } from '#shared/table/stream-item.ts';
import { heldTo } from '#test/support/declared-uses.ts';
import { queueEvent, recordingQueue, recordingQueues, recordingVisits } from '#test/support/queue.ts';
import type { TestServices } from '#test/support/services.ts';
import { unlessKilled } from '#test/support/table/faults.ts';
import { streamEvent } from '#test/support/table/stream.ts';

export const GAP_MINUTE = 60_000_000;

/** Waits for work whose process may be killed on the way. @throws every error but those of the kill */
export async function orKilled(work: Promise<unknown>): Promise<void> {
  try {
    await unlessKilled(work);
  } catch (error) {
    if (!(error instanceof Error) || error.message !== 'A look failed') throw error;
  }
}

/** The sweeps and the relay of one organization, held to what the relay declares. */
export function sweepsOf(services: TestServices, org: OrganizationId) {
  const environment = () => {
    const visits = recordingVisits();
    return { visits, queues: { ...recordingQueues(), visits: visits.queue } };
  };
  const options = () => ({ memory: new RelayMemory(), log: () => {}, lines: () => {} });
  /** Entries of environments that the stream would hand to the relay if they were written now. */
  const missed = async () => {
    const items = await services.table.query({ pk: cataloguePartition(org, ENVIRONMENTS.name) });
    return items.filter((item) => passesFilter(imageOf(item)));
  };
  return {
    missed,
    /** The sweep of a minute, with the looks that it asks for. */
    sweep: async ({ table, ...others }: Pick<TestServices, 'table'> & { deliveries?: Queue } = services) => {
      const { visits, queues } = environment();
      const all = { ...services, table, ...queues, ...others };
      await heldTo('relay', RELAY_USES, async () => {
        await askForLooks(all);
        const messages = visits.take().filter(({ message }) => message.org === org);
        const event = queueEvent(messages.map(({ message }) => message));
        const { batchItemFailures } = await visitOrganizations(event, all, options());
        if (batchItemFailures.length > 0) throw new Error('A look failed');
      });
    },
    /** Hands the entries of environments to the relay, as their last reports would. */
    relay: async ({ table }: Pick<TestServices, 'table'> = services) => {
      const items = await missed();
      const all = { ...services, table, ...environment().queues };
      await heldTo('relay', RELAY_USES, () => relay(streamEvent(items), all, options()));
    },
    /** Hands the gaps to the relay, as their last changes would. @returns how many messages the notifier gets */
    tell: async ({ table }: Pick<TestServices, 'table'> = services) => {
      const items = (await services.table.query({ pk: gapList(org) })).filter((item) => passesFilter(imageOf(item)));
      const { queue: deliveries, take } = recordingQueue();
      const all = { ...services, table, ...environment().queues, deliveries };
      const outcome = await heldTo('relay', RELAY_USES, () => relay(streamEvent(items), all, options()));
      return { messages: take().length, failed: outcome.batchItemFailures.length };
    },
    /** Gives the organization a turn of the sweep of events. @returns how many lost events it found, by series */
    makeUp: async () => {
      const logged: Record<string, unknown>[] = [];
      const log = (message: string, facts: Record<string, unknown>) => {
        if (message === 'Events that the stream did not bring were relayed') logged.push(facts);
      };
      const isTime = () => true;
      const all = { ...services, ...environment().queues };
      const context = { services: all, memory: new RelayMemory(), log, evaluationsOf, isTime, isTimeToSettle: isTime };
      const parts = new SweepParts(log, isTime);
      await heldTo('relay', RELAY_USES, () => sweepEvents(context, parts, org));
      if (parts.failures.length > 0) throw new Error('The sweep of events failed');
      return logged.map(({ series, missing }) => [series, missing]);
    },
    /** How many looks at the organization the next sweeps would ask for. */
    asked: async () => (await readExpecting(services.table)).filter((one) => one.org === org).length,
  };
}
