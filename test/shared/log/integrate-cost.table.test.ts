import { describe, expect, it } from 'vitest';
import { newId, type OrganizationId } from '#shared/base/ids.ts';
import { CHECKPOINT_EVERY } from '#shared/log/rules/checkpoint-pace.ts';
import { type CallCount, counted, newCount } from '#shared/table/meter.ts';
import { movableClock } from '#test/support/clock.ts';
import { integratorOf, trailEntries } from '#test/support/log/log.ts';
import { countingTable } from '#test/support/table/units.ts';
import { testTable } from '#test/support/table.ts';

const table = await testTable();
const { services, integrate } = integratorOf(table);
const clock = movableClock();
const newOrganization = () => newId<OrganizationId>(clock.now());
const callsOf = ({ log }: CallCount) => log.map(({ name }) => name.split('.')[1]);

describe('the cost of an entry', () => {
  it('is 7 units and 4 calls if it comes alone, and 2.5 units in a batch of 98', async () => {
    const org = newOrganization();
    const entries = trailEntries(org, 'cost', 400);
    await integrate(org, entries.slice(0, 256));
    const { table: counting, units } = countingTable(table);
    const own = integratorOf(counting, { guarded: services.guarded });
    const count = newCount();
    await counted(() => own.integrate(org, entries.slice(256, 257)), count);
    expect(callsOf(count)).toEqual(['Query', 'BatchGetItem', 'TransactWriteItems', 'UpdateItem']);
    // Head, batch and claim in a transaction, and the checkpoint. Read: the state of the log, and the claim before.
    expect(units).toEqual({ read: 2, write: 7 });
    Object.assign(units, { read: 0, write: 0 });
    await own.integrate(org, entries.slice(257, 355));
    expect(units.write / 98).toBeLessThan(2.6);
    expect(units.read).toBe(2);
    // With entries that wait for a checkpoint, their batches are read with one Query more.
    const paced = integratorOf(counting, { guarded: services.guarded, checkpointEvery: CHECKPOINT_EVERY });
    await paced.integrate(org, entries.slice(355, 359));
    Object.assign(units, { read: 0, write: 0 });
    const more = newCount();
    await counted(() => paced.integrate(org, entries.slice(359, 360)), more);
    expect(callsOf(more)).toEqual(['Query', 'BatchGetItem', 'Query', 'TransactWriteItems']);
    expect(units).toEqual({ read: 3, write: 6 });
  });

  it('shares the reads of up to 50 organizations in a call', async () => {
    const orgs = Array.from({ length: 50 }, newOrganization);
    const entries = orgs.map((org) => trailEntries(org, 'shared', 2).map((entry) => entry.toString('base64')));
    const messages = (n: number) => orgs.map((org, i) => ({ org, entries: entries[i]?.slice(n, n + 1) }));
    const { table: counting, units } = countingTable(table);
    const own = integratorOf(counting);
    expect(await own.work(messages(0))).toBe(0);
    Object.assign(units, { read: 0, write: 0 });
    const count = newCount();
    expect(await counted(() => own.work(messages(1)), count)).toBe(0);
    const made = Map.groupBy(callsOf(count), (name) => name);
    expect([...made].map(([name, calls]) => [name, calls.length])).toEqual([
      ['ExecuteStatement', 1],
      ['BatchGetItem', 1],
      ['TransactWriteItems', 50],
      ['UpdateItem', 50],
    ]);
    expect(units).toEqual({ read: 100, write: 350 });
  });
});
