import { beforeAll, describe, expect, test } from 'vitest';
import { newId, type OrganizationId } from '#shared/base/ids.ts';
import { fromMillis, micros, plus } from '#shared/base/time.ts';
import {
  createDeliveries,
  DUE_PARTITIONS,
  type DueDelivery,
  deliveryToSend,
  deliveryWrites,
  discard,
  dueDeliveries,
  FIRST_DUE_AFTER,
  newDelivery,
  postpone,
  readDelivery,
  recordAttempt,
} from '#shared/notifications/records/deliveries.ts';
import { deliveryKey, deliveryPartition } from '#shared/notifications/records/keys.ts';
import { putBackWrites } from '#shared/notifications/records/put-back.ts';
import type { Attempt, Delivery, Notice } from '#shared/notifications/rules/records.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import { storedKey } from '#shared/table/keys.ts';
import type { Table } from '#shared/table/table.ts';
import { testTable } from '#test/support/table.ts';

const SECOND = 1_000_000;
const START = fromMillis(Date.UTC(2026, 5, 15, 12));
const FAR = Number.MAX_SAFE_INTEGER;

let table: Table;
beforeAll(async () => {
  table = await testTable();
});

let organizations = 0;
const anOrganization = (): OrganizationId => {
  organizations += 1;
  return newId(plus(START, organizations));
};

function aDelivery(n = 0, target = 'k'): Delivery {
  const at = plus(START, n * SECOND);
  const notice: Notice = {
    event: newId(at),
    at,
    trigger: 'ON_ATTESTATION',
    eventType: 'ATTESTATION_REPORTED',
    org: 'acme',
    description: 'An attestation',
  };
  return newDelivery(notice, 1, { key: target, type: 'EMAIL', emails: ['ada@example.com'] }, at);
}

const anAttempt = (attempt: number, outcome: Attempt['outcome'] = 'failed'): Attempt => ({
  attempt,
  at: plus(START, attempt * SECOND),
  duration: 5,
  status: 500,
  outcome,
  detail: '',
  digest: null,
});

/** The due entries of an organization, the earliest first. */
async function dueOf(org: OrganizationId, now = FAR): Promise<DueDelivery[]> {
  const shards = await Promise.all(DUE_PARTITIONS.map((shard) => dueDeliveries(table, shard, micros(now), 10_000)));
  return shards
    .flat()
    .filter((entry) => entry.org === org)
    .sort((a, b) => a.due - b.due);
}

async function created(org: OrganizationId, delivery = aDelivery()): Promise<Delivery> {
  const [made] = await createDeliveries(table, org, [delivery]);
  if (!made) throw new Error('No delivery was made');
  return made;
}

const read = async (org: OrganizationId, { id }: Delivery): Promise<Delivery> => {
  const delivery = await readDelivery(table, org, 1, id);
  if (!delivery) throw new Error('The delivery is not there');
  return delivery;
};

const toSend = async (org: OrganizationId, { id }: Delivery) => {
  const item = await table.get(deliveryKey(org, 1, monthOf(id), id));
  return item ? deliveryToSend(item) : null;
};

describe('deliveries', () => {
  test('are created with the due time by which the sweep finds a lost message', async () => {
    const org = anOrganization();
    const delivery = await created(org);
    expect(await read(org, delivery)).toEqual(delivery);
    expect(await dueOf(org)).toEqual([{ org, id: delivery.id, action: 1, attempts: 0, due: START + FIRST_DUE_AFTER }]);
    expect(await toSend(org, delivery)).toBeNull();
  });

  test('have the same id each time they are made, and another id for another target', () => {
    const { notice, target } = aDelivery();
    const again = newDelivery(notice, 1, target, plus(START, 5 * SECOND));
    expect(again.id).toBe(newDelivery(notice, 1, target, START).id);
    expect(newDelivery(notice, 1, { ...target, key: 'other' }, START).id).not.toBe(again.id);
    expect(newDelivery(notice, 2, target, START).id).not.toBe(again.id);
  });

  test('that exist already are returned as stored, and the others are created', async () => {
    const org = anOrganization();
    const all = Array.from({ length: 60 }, (_, n) => aDelivery(n));
    const [third, last] = [all[3], all[59]] as [Delivery, Delivery];
    await createDeliveries(table, org, [third, last]);
    await recordAttempt(table, org, third, anAttempt(1, 'delivered'), { state: 'delivered' });
    const now = await createDeliveries(table, org, all);
    expect(now.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
    expect(now[3]).toMatchObject({ state: 'delivered', attempts: 1 });
    expect(now.filter(({ state }) => state === 'pending')).toHaveLength(59);
    expect(await dueOf(org)).toHaveLength(59);
  });

  test('are created once by parallel calls', async () => {
    const org = anOrganization();
    const all = Array.from({ length: 30 }, (_, n) => aDelivery(n));
    const made = await Promise.all([all, all.toReversed(), all].map((part) => createDeliveries(table, org, part)));
    for (const part of made) expect(part).toHaveLength(30);
    expect(await table.query({ pk: deliveryPartition(org, 1, '202606') })).toHaveLength(30);
  });

  test('are not found in another organization or under a text that is no id', async () => {
    const org = anOrganization();
    const { id } = await created(org);
    for (const [owner, name] of [
      [anOrganization(), id],
      [org, 'x'],
      [org, `${id}#001`],
    ] as const) {
      expect(await readDelivery(table, owner, 1, name)).toBeNull();
    }
    expect(await readDelivery(table, org, 2, id)).toBeNull();
  });
});

describe('an attempt', () => {
  test('moves the due time of a delivery that stays pending', async () => {
    const org = anOrganization();
    const delivery = await created(org);
    const due = START + 100 * SECOND;
    expect(await recordAttempt(table, org, delivery, anAttempt(1), { state: 'pending', due: micros(due) })).toBe(
      'done',
    );
    expect(await read(org, delivery)).toEqual({ ...delivery, attempts: 1, due });
    expect(await dueOf(org)).toEqual([{ org, id: delivery.id, action: 1, attempts: 1, due }]);
  });

  test.each(['delivered', 'dead', 'discarded'] as const)(
    'removes the due entry of a delivery that is %s',
    async (state) => {
      const org = anOrganization();
      const delivery = await created(org);
      expect(await recordAttempt(table, org, delivery, anAttempt(1), { state })).toBe('done');
      expect(await read(org, delivery)).toMatchObject({ state, attempts: 1 });
      expect(await dueOf(org)).toEqual([]);
      expect(await recordAttempt(table, org, delivery, anAttempt(1), { state })).toBe('stale');
    },
  );

  test('is stored once if several workers made it at once', async () => {
    const org = anOrganization();
    const delivery = await created(org);
    const next = { state: 'pending', due: plus(START, 100 * SECOND) } as const;
    const outcomes = await Promise.all(
      ['failed', 'delivered', 'refused'].map((outcome) =>
        recordAttempt(table, org, delivery, anAttempt(1, outcome as Attempt['outcome']), next),
      ),
    );
    expect(outcomes.toSorted()).toEqual(['done', 'stale', 'stale']);
    expect(await table.query({ pk: deliveryPartition(org, 1, '202606') })).toHaveLength(2);
    expect(await dueOf(org)).toHaveLength(1);
  });

  test('is stored although the due time was moved while it was made', async () => {
    const org = anOrganization();
    const delivery = await created(org);
    expect(await postpone(table, org, delivery, plus(START, 90 * SECOND))).toBe('done');
    expect(await recordAttempt(table, org, delivery, anAttempt(1, 'delivered'), { state: 'delivered' })).toBe('done');
    expect(await dueOf(org)).toEqual([]);
  });
});

describe('the due time', () => {
  test('can be moved once without an attempt', async () => {
    const org = anOrganization();
    const delivery = await created(org);
    const due = START + 90 * SECOND;
    const outcomes = await Promise.all([1, 2, 3].map(() => postpone(table, org, delivery, micros(due))));
    expect(outcomes.toSorted()).toEqual(['done', 'stale', 'stale']);
    expect(await dueOf(org)).toMatchObject([{ due, attempts: 0 }]);
    expect(await postpone(table, org, { ...delivery, due: micros(due) }, micros(due))).toBe('done');
    expect(await dueOf(org)).toHaveLength(1);
  });

  test('does not exist for a discarded delivery', async () => {
    const org = anOrganization();
    const delivery = await created(org);
    expect([await discard(table, org, delivery), await discard(table, org, delivery)]).toEqual(['done', 'stale']);
    expect(await dueOf(org)).toEqual([]);
    expect(await postpone(table, org, delivery, plus(START, 90 * SECOND))).toBe('stale');
    expect(await read(org, delivery)).toMatchObject({ state: 'discarded', attempts: 0 });
  });

  test('is found once it has passed, the earliest first, up to the limit', async () => {
    const org = anOrganization();
    const all = Array.from({ length: 12 }, (_, n) => aDelivery(n));
    await createDeliveries(table, org, all);
    const now = START + FIRST_DUE_AFTER + 5 * SECOND;
    const due = await dueOf(org, now);
    expect(due.map(({ id }) => id)).toEqual(all.slice(0, 6).map(({ id }) => id));
    for (const shard of DUE_PARTITIONS) {
      const [first, ...rest] = await dueDeliveries(table, shard, micros(FAR), 100_000);
      expect(await dueDeliveries(table, shard, micros(FAR), 1)).toEqual(first ? [first] : []);
      expect(rest.map((entry) => entry.due)).toEqual(rest.map((entry) => entry.due).toSorted((a, b) => a - b));
    }
  });
});

describe('the relay has to send', () => {
  test('what an endpoint created, until an attempt, a postponement or a discard', async () => {
    const settle = [
      (org: OrganizationId, d: Delivery) =>
        recordAttempt(table, org, d, anAttempt(1), { state: 'pending', due: plus(START, 99 * SECOND) }),
      (org: OrganizationId, d: Delivery) => postpone(table, org, d, plus(START, 99 * SECOND)),
      (org: OrganizationId, d: Delivery) => discard(table, org, d),
    ];
    for (const act of settle) {
      const org = anOrganization();
      const delivery = aDelivery();
      await table.transact(deliveryWrites(org, [delivery]));
      expect(await toSend(org, delivery)).toEqual(delivery);
      expect(await act(org, delivery)).toBe('done');
      expect(await toSend(org, delivery)).toBeNull();
    }
  });

  test('what was put back, with the earlier attempts counted apart', async () => {
    const org = anOrganization();
    const delivery = await created(org);
    await recordAttempt(table, org, delivery, anAttempt(1), { state: 'dead' });
    const dead = await read(org, delivery);
    const now = START + 3600 * SECOND;
    expect(await table.transact(putBackWrites(org, dead, micros(now)))).toBe('done');
    const expected = { ...delivery, attempts: 1, attemptsBefore: 1, due: micros(now + FIRST_DUE_AFTER) };
    expect(await toSend(org, delivery)).toEqual(expected);
    expect(await dueOf(org)).toMatchObject([{ due: now + FIRST_DUE_AFTER, attempts: 1 }]);
    expect(await table.transact(putBackWrites(org, dead, micros(now)))).toBe('again');
    expect(await table.transact(putBackWrites(org, expected, micros(now + SECOND)))).toBe('done');
    expect(await dueOf(org)).toMatchObject([{ due: now + SECOND + FIRST_DUE_AFTER }]);
  });

  test('no other item of the table', async () => {
    expect(deliveryToSend(storedKey('x#ACTION', '0000000001#0000000001'))).toBeNull();
    expect(() => deliveryToSend({ ...storedKey('x', 'y'), toSend: true })).toThrow('id');
  });
});
