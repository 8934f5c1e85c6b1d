import { beforeAll, describe, expect, test } from 'vitest';
import { type FlowId, newId, type OrganizationId } from '#shared/base/ids.ts';
import { micros, plus } from '#shared/base/time.ts';
import { readDerived, recordDeployed } from '#shared/evidence/records/flows.ts';
import { FLOWS, REPOS } from '#shared/evidence/rules/series-kinds.ts';
import { recordActivity } from '#shared/series/activity.ts';
import { catalogueRemoval, catalogueWrite, readCatalogue } from '#shared/series/catalogue.ts';
import { counted, newCount } from '#shared/table/meter.ts';
import type { Table } from '#shared/table/table.ts';
import { testId } from '#test/support/ids.ts';
import { testTable } from '#test/support/table.ts';

const START = micros(1_800_000_000_000_000);
let table: Table;
beforeAll(async () => {
  table = await testTable();
});

let organizations = 0;
const anOrganization = (): OrganizationId => {
  organizations += 1;
  return newId(plus(START, organizations * 1000));
};

describe('a catalogue', () => {
  test('returns every entry of its kind and organization and no other', async () => {
    const [org, other] = [anOrganization(), anOrganization()];
    const ids = Array.from({ length: 60 }, (_, i) => newId<FlowId>(plus(START, i * 1000)));
    await table.transact(ids.map((id, i) => catalogueWrite(org, FLOWS, id, { n: `flow-${i}` })));
    await table.transact([
      catalogueWrite(org, REPOS, newId(START), { n: 'repo' }),
      catalogueWrite(other, FLOWS, newId(START), { n: 'foreign' }),
    ]);
    const entries = await readCatalogue(table, org, FLOWS);
    expect([...entries.keys()].sort()).toEqual(ids.toSorted());
    expect(entries.get(ids[7] ?? testId(''))?.entry).toMatchObject({ n: 'flow-7' });
  });

  test('is read in one call', async () => {
    const count = newCount();
    await counted(() => readCatalogue(table, anOrganization(), FLOWS), count);
    expect(count.calls).toBe(1);
  });

  test('replaces an entry by its id, and loses it when it is removed', async () => {
    const org = anOrganization();
    const id = newId<FlowId>(START);
    await table.transact([catalogueWrite(org, FLOWS, id, { n: 'old' })]);
    await table.transact([catalogueWrite(org, FLOWS, id, { n: 'new' })]);
    expect((await readCatalogue(table, org, FLOWS)).get(id)?.entry).toMatchObject({ n: 'new' });
    await table.transact([catalogueRemoval(org, FLOWS, id)]);
    expect((await readCatalogue(table, org, FLOWS)).size).toBe(0);
  });
});

describe('activity', () => {
  test('is read beside the entry, and survives a change of the entry', async () => {
    const org = anOrganization();
    const id = newId<FlowId>(START);
    await table.transact([catalogueWrite(org, FLOWS, id, { n: 'old' })]);
    expect((await readCatalogue(table, org, FLOWS)).get(id)?.activity).toBeUndefined();
    await recordActivity(table, org, FLOWS, id, { at: START, state: 'COMPLIANT' });
    await table.transact([catalogueWrite(org, FLOWS, id, { n: 'new' })]);
    const read = (await readCatalogue(table, org, FLOWS)).get(id);
    expect(read?.entry).toMatchObject({ n: 'new' });
    expect(readDerived(read?.activity)).toEqual({ activity: { at: START, state: 'COMPLIANT' }, deployed: null });
  });

  test('is replaced by later activity only, in any order of calls', async () => {
    const org = anOrganization();
    const id = newId<FlowId>(START);
    await table.transact([catalogueWrite(org, FLOWS, id, { n: 'flow' })]);
    const news = [3, 1, 5, 5, 4, 2].map((n) =>
      recordActivity(table, org, FLOWS, id, { at: plus(START, n), state: `${n}` }),
    );
    expect((await Promise.all(news)).filter(Boolean).length).toBeGreaterThan(0);
    const read = (await readCatalogue(table, org, FLOWS)).get(id);
    expect(readDerived(read?.activity).activity).toEqual({ at: START + 5, state: '5' });
  });

  test('and the last deployment are independent of each other', async () => {
    const org = anOrganization();
    const id = newId<FlowId>(START);
    const derived = async () => readDerived((await readCatalogue(table, org, FLOWS)).get(id)?.activity);
    await table.transact([catalogueWrite(org, FLOWS, id, { n: 'flow' })]);
    for (const n of [2, 3, 1]) await recordDeployed(table, org, id, plus(START, n));
    expect(await derived()).toEqual({ activity: null, deployed: START + 3 });
    await recordActivity(table, org, FLOWS, id, { at: START, state: 'COMPLIANT' });
    expect(await derived()).toEqual({ activity: { at: START, state: 'COMPLIANT' }, deployed: START + 3 });
  });

  test('does not restore a removed entry', async () => {
    const org = anOrganization();
    await recordActivity(table, org, FLOWS, newId(START), { at: START, state: 'COMPLIANT' });
    expect((await readCatalogue(table, org, FLOWS)).size).toBe(0);
  });
});
