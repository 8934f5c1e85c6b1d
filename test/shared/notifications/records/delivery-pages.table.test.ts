import { beforeAll, describe, expect, test } from 'vitest';
import { type Id, newId, type OrganizationId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { fromMillis, micros, plus } from '#shared/base/time.ts';
import { createDeliveries, newDelivery, recordAttempt } from '#shared/notifications/records/deliveries.ts';
import { deliveriesPage, failedDeliveries, readCursor } from '#shared/notifications/records/delivery-pages.ts';
import { deliveryKey } from '#shared/notifications/records/keys.ts';
import { putBackFailed } from '#shared/notifications/records/put-back.ts';
import type { Attempt, Delivery } from '#shared/notifications/rules/records.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import type { Table } from '#shared/table/table.ts';
import { testTable } from '#test/support/table.ts';

const SECOND = 1_000_000;
const DAY = 24 * 3600 * SECOND;
const START = fromMillis(Date.UTC(2026, 5, 15, 12));
const OWNER = { number: 1, created: START };
const NO_LIMITS = { most: 1_000_000, mostItems: 1_000_000 };

let table: Table;
beforeAll(async () => {
  table = await testTable();
});

let organizations = 0;
/** An organization with deliveries of events at these times, in microseconds after the start. */
async function withDeliveries(times: readonly number[]): Promise<{ org: OrganizationId; all: Delivery[] }> {
  organizations += 1;
  const org = newId<OrganizationId>(plus(START, organizations));
  const deliveries = times.map((time) => {
    const at = plus(START, time);
    const notice = {
      event: newId(at),
      at,
      trigger: 'ON_ATTESTATION' as const,
      eventType: 'ATTESTATION_REPORTED',
      org: 'acme',
      description: 'An attestation',
    };
    return newDelivery(notice, 1, { key: 'k', type: 'EMAIL', emails: ['ada@example.com'] }, at);
  });
  return { org, all: await createDeliveries(table, org, deliveries) };
}

async function fail(org: OrganizationId, deliveries: readonly Delivery[]): Promise<void> {
  const attempt: Attempt = {
    attempt: 1,
    at: START,
    duration: 1,
    status: 500,
    outcome: 'failed',
    detail: '',
    digest: null,
  };
  await inParallel(deliveries, 8, async (delivery) => {
    await recordAttempt(table, org, delivery, attempt, { state: 'dead' });
  });
}

const idsOf = (deliveries: readonly { id: Id }[]) => deliveries.map(({ id }) => id);

describe('failed deliveries', () => {
  test('are found over several months from an instant on, oldest first', async () => {
    const { org, all } = await withDeliveries([0, 1, 20, 40, 70].map((days) => days * DAY));
    await fail(org, all.slice(0, 4));
    const found = await failedDeliveries(table, org, OWNER, plus(START, DAY), plus(START, 80 * DAY), NO_LIMITS);
    expect([idsOf(found.deliveries), found.until]).toEqual([idsOf(all.slice(1, 4)), null]);
  });

  test('are found in parts, each starting where the part before ended', async () => {
    const { org, all } = await withDeliveries(Array.from({ length: 700 }, (_, i) => i * SECOND));
    const dead = all.map((delivery) => ({ ...delivery, state: 'dead' as const }));
    // Written in their final state, because the way to it would take three writes for each delivery.
    await table.putMany(dead.map((item) => ({ ...deliveryKey(org, 1, monthOf(item.id), item.id), v: 1, ...item })));
    const now = START + DAY;
    const found: Id[] = [];
    let since: number | null = START;
    let rounds = 0;
    while (since !== null) {
      const stretch = await failedDeliveries(table, org, OWNER, micros(since), micros(now), {
        most: 200,
        mostItems: 100_000,
      });
      found.push(...idsOf(stretch.deliveries));
      expect(await putBackFailed(table, org, stretch.deliveries, micros(now))).toBe(stretch.deliveries.length);
      if (stretch.until !== null) expect(stretch.until).toBeGreaterThan(since);
      since = stretch.until;
      rounds += 1;
    }
    expect(found).toEqual(idsOf(all));
    expect(rounds).toBeGreaterThan(1);
    expect(await putBackFailed(table, org, [...dead, ...all], micros(now))).toBe(0);
  });

  test('are searched in a limited number of items', async () => {
    const { org, all } = await withDeliveries([...Array.from({ length: 600 }, (_, i) => i * SECOND), 40 * DAY]);
    await fail(org, all.slice(-1));
    const now = START + 41 * DAY;
    const first = await failedDeliveries(table, org, OWNER, START, micros(now), { most: 10, mostItems: 500 });
    expect(first.deliveries).toEqual([]);
    expect(first.until).toBe(all[499]?.notice.at);
    const second = await failedDeliveries(table, org, OWNER, micros(first.until ?? 0), micros(now), {
      most: 10,
      mostItems: 500,
    });
    expect([idsOf(second.deliveries), second.until]).toEqual([idsOf(all.slice(-1)), null]);
  });

  test('are none for an instant in the future', async () => {
    const { org } = await withDeliveries([0]);
    const future = await failedDeliveries(
      table,
      org,
      OWNER,
      micros(Number.POSITIVE_INFINITY),
      plus(START, DAY),
      NO_LIMITS,
    );
    expect(future).toEqual({ deliveries: [], until: null });
  });
});

describe('a page of deliveries', () => {
  test('begins with the newest delivery, however many months lie between', async () => {
    const { org, all } = await withDeliveries([0, 1, 300, 301].map((days) => days * DAY));
    const page = await deliveriesPage(table, org, OWNER, undefined, 3, plus(START, 400 * DAY));
    const ids = page.deliveries.map((found) => ('unreadable' in found ? found.id : found.delivery.id));
    expect(ids).toEqual(idsOf(all.slice(1)).toReversed());
    expect(readCursor(org, 1, page.next ?? '')).toBe(all[1]?.id);
    expect(readCursor(org, 2, page.next ?? '')).toBeNull();
  });

  test('is the last one if no delivery follows it', async () => {
    const { org } = await withDeliveries([0, DAY]);
    expect((await deliveriesPage(table, org, OWNER, undefined, 2, plus(START, 2 * DAY))).next).toBeNull();
    const empty = await withDeliveries([]);
    const none = await deliveriesPage(table, empty.org, OWNER, undefined, 2, plus(START, 400 * DAY));
    expect(none).toEqual({ deliveries: [], next: null });
  });
});
