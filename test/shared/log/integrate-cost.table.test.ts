import { describe, expect, it } from 'vitest';
import { newId, type OrganizationId } from '#shared/base/ids.ts';
import { CHECKPOINT_EVERY } from '#shared/log/rules/checkpoint-pace.ts';
import { counted, newCount } from '#shared/table/meter.ts';
import { movableClock } from '#test/support/clock.ts';
import { integratorOf, trailEntries } from '#test/support/log/log.ts';
import { countingTable } from '#test/support/table/units.ts';
import { testTable } from '#test/support/table.ts';

const table = await testTable();
const { services, integrate } = integratorOf(table);
const clock = movableClock();
const newOrganization = () => newId<OrganizationId>(clock.now());

describe('the cost of an entry', () => {
  it('is 7 units and 4 calls if it comes alone, and 2.5 units in a batch of 98', async () => {
    const org = newOrganization();
    const entries = trailEntries(org, 'cost', 400);
    await integrate(org, entries.slice(0, 256));
    const { table: counting, units } = countingTable(table);
    const own = integratorOf(counting, { guarded: services.guarded });
    const count = newCount();
    await counted(() => own.integrate(org, entries.slice(256, 257)), count);
    expect(count.log.map(({ name }) => name.split('.')[1])).toEqual([
      'Query',
      'BatchGetItem',
      'TransactWriteItems',
      'UpdateItem',
    ]);
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
    expect(more.log.map(({ name }) => name.split('.')[1])).toEqual([
      'Query',
      'Query',
      'BatchGetItem',
      'TransactWriteItems',
    ]);
    expect(units).toEqual({ read: 3, write: 6 });
  });
});
