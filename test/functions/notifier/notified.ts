import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { notify } from '#functions/notifier/notify.ts';
import { NOTIFIER_USES } from '#functions/notifier/uses.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import type { LogEntry } from '#shared/base/log-lines.ts';
import { micros } from '#shared/base/time.ts';
import { HealthWriter, type WriterTime } from '#shared/notifications/health-writer.ts';
import { newDelivery } from '#shared/notifications/records/deliveries.ts';
import { deliveryPartition } from '#shared/notifications/records/keys.ts';
import { readHealth } from '#shared/notifications/records/target-health.ts';
import type { Attempt, Delivery, DeliveryMessage, Target, TargetHealth } from '#shared/notifications/rules/records.ts';
import { Attempt as AttemptRecord } from '#shared/notifications/rules/records.ts';
import type { NotifierServices } from '#shared/notifications/services.ts';
import { addressGuard } from '#shared/outgoing/address-guard.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import type { Table } from '#shared/table/table.ts';
import { type MovableClock, movableClock } from '#test/support/clock.ts';
import { heldTo } from '#test/support/declared-uses.ts';
import { queueEvent, recordingQueue, type SentMessage } from '#test/support/queue.ts';
import type { Receiver } from '#test/support/receiver.ts';
import { bareOrganization, webhookTarget } from '#test/support/records/notified.ts';

export const SECOND = 1_000_000;

export interface Notified {
  org: OrganizationId;
  clock: MovableClock;
  services: NotifierServices & { clock: MovableClock };
  logged: LogEntry[];
  /** Returns the messages that were sent since the last call. */
  take(): SentMessage[];
  /** Hands messages to the notifier. @returns the messages that the queue has to deliver again */
  notify(messages: readonly DeliveryMessage[]): Promise<SQSBatchResponse['batchItemFailures']>;
  hand(event: SQSEvent, others?: Partial<NotifierServices>): Promise<SQSBatchResponse>;
}

/** A clock that moves only while a caller sleeps. */
export function waitingTime(): WriterTime & { waited: number } {
  const time = {
    waited: 0,
    elapsed: () => time.waited,
    sleep: async (millis: number) => {
      time.waited += millis;
    },
  };
  return time;
}

/** A notifier in a container of its own. @param same another notifier whose organization and clock it shares */
export async function notified(table: Table, same?: Pick<Notified, 'org' | 'clock'>): Promise<Notified> {
  const clock = same?.clock ?? movableClock();
  const org = same?.org ?? (await bareOrganization(table, clock)).org;
  const { queue, take } = recordingQueue();
  const services: Notified['services'] = {
    table,
    clock,
    deliveries: queue,
    guard: addressGuard(['127.0.0.0/8']),
    mailer: { send: () => Promise.reject(new Error('No mail in these tests')) },
    host: 'https://evidence.example',
  };
  const logged: LogEntry[] = [];
  const health = new HealthWriter(waitingTime());
  const hand: Notified['hand'] = (event, others = {}) =>
    heldTo('notifier', NOTIFIER_USES, () =>
      notify(event, { ...services, ...others }, { health, log: (entry) => void logged.push(entry) }),
    );
  return {
    org,
    clock,
    services,
    logged,
    take,
    hand,
    notify: async (messages) => (await hand(queueEvent(messages))).batchItemFailures,
  };
}

/** Targets at one receiver, each with a path of its own. */
export function targetsOf(receiver: () => Receiver) {
  let hooks = 0;
  return {
    hook: () => {
      hooks += 1;
      return { path: `/hook-${hooks}`, target: webhookTarget(`${receiver().url}/hook-${hooks}`) };
    },
    requestsTo: (path: string) => receiver().requests.filter((request) => request.path === path),
    /** Makes a target answer with these statuses, then with 200. */
    answers(path: string, statuses: readonly number[], headers: Record<string, string> = {}) {
      const before = receiver().answer;
      const left = [...statuses];
      receiver().answer = (request) =>
        request.path === path ? { status: left.shift() ?? 200, headers } : before(request);
    },
  };
}

let events = 0;

/** A delivery of an event of its own to a target of action 1. */
export function deliveryTo(target: Target, now: number): Delivery {
  events += 1;
  const facts = { trigger: 'ON_STARTED_TRAIL' as const, eventType: 'TRAIL_STARTED', org: 'acme', description: 'Begun' };
  return newDelivery(
    { event: `event-${events}`, at: micros(now), ...facts, flow: 'web', trail: 'run' },
    1,
    target,
    micros(now),
  );
}

/** The stored attempts of a delivery, by number. */
export async function attemptsOf(table: Table, org: OrganizationId, { id, action }: Delivery): Promise<Attempt[]> {
  const items = await table.query({ pk: deliveryPartition(org, action, monthOf(id)), prefix: `${id}#` });
  return items.map((item) => AttemptRecord.parse(item));
}

export const healthOf = async (table: Table, org: OrganizationId, target: Target): Promise<TargetHealth | undefined> =>
  (await readHealth(table, org, 1)).get(target.key);
