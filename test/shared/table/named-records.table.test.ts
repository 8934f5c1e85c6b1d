import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { newId, type OrganizationId } from '#shared/base/ids.ts';
import { micros } from '#shared/base/time.ts';
import { storedKey } from '#shared/table/keys.ts';
import { NamedRecords } from '#shared/table/named-records.ts';
import type { Table } from '#shared/table/table.ts';
import { countingTable } from '#test/support/table/units.ts';
import { testTable } from '#test/support/table.ts';

const Head = z.object({ id: z.string(), name: z.string(), ended: z.boolean() });
type Head = z.infer<typeof Head>;

const naming = (kind: string) => ({
  kind,
  id: z.string(),
  head: Head,
  nameKey: (org: OrganizationId, name: string) => storedKey(`${org}#NAME#${name}`, 'NAME'),
  headKey: (org: OrganizationId, id: string) => storedKey(`${org}#RECORD#${id}`, 'HEAD'),
  isName: (name: string) => /^\w+$/.test(name),
});
const records = new NamedRecords<string, string, Head>(naming('record'));

let table: Table;
beforeAll(async () => {
  table = await testTable();
});
let made = 0;
const anOrganization = (): OrganizationId => {
  made += 1;
  return newId(micros(Date.UTC(2026, 5, 15) * 1000 + made));
};
const taken = () => 'taken' as const;

const create = (of: NamedRecords<string, string, Head>, org: OrganizationId, head: Head) =>
  table.transact([
    of.claim(org, head.name, head.id, taken),
    { put: { ...naming('').headKey(org, head.id), v: 1, ...head } },
  ]);
const rename = (org: OrganizationId, head: Head, name: string) =>
  table.transact([
    ...records.rename(org, head, name),
    { put: { ...naming('').headKey(org, head.id), v: 1, ...head, name } },
  ]);
const one: Head = { id: '1', name: 'one', ended: false };
const two: Head = { id: '2', name: 'two', ended: false };

describe('a record', () => {
  test('is found with two reads, and with one while its name is remembered', async () => {
    const org = anOrganization();
    await create(records, org, one);
    const { table: counting, units } = countingTable(table);
    expect(await records.find(counting, org, 'one')).toEqual(one);
    expect(units.read).toBe(2);
    expect(await records.find(counting, org, 'one')).toEqual(one);
    expect(units.read).toBe(3);
    records.forget(org, 'one');
    await records.find(counting, org, 'one');
    expect(units.read).toBe(5);
  });

  test('is unknown without a read under a name that no record can have', async () => {
    const { table: counting, units } = countingTable(table);
    expect(await records.find(counting, anOrganization(), 'a#b')).toBeNull();
    expect(await records.findIds(counting, anOrganization(), ['a#b'])).toEqual(new Map());
    expect(units.read).toBe(0);
  });

  test('is found by an alias until another record takes it', async () => {
    const org = anOrganization();
    await create(records, org, one);
    await records.find(table, org, 'one');
    expect(await rename(org, one, 'uno')).toBe('done');
    expect(await records.find(table, org, 'one')).toEqual({ ...one, name: 'uno' });
    expect(await create(records, org, { ...two, name: 'one' })).toBe('done');
    expect(await records.find(table, org, 'one')).toEqual({ ...two, name: 'one' });
  });

  test('does not get the present name of another record', async () => {
    const org = anOrganization();
    await create(records, org, one);
    await create(records, org, two);
    expect(await create(records, org, { ...two, name: 'one' })).toBe('taken');
    expect(await rename(org, two, 'one')).toBe('taken');
  });

  test('is read again if another request has just given it the same name', async () => {
    const org = anOrganization();
    await create(records, org, one);
    await rename(org, one, 'uno');
    expect(await rename(org, one, 'uno')).toBe('again');
  });
});

describe('the rules of a kind', () => {
  test('say which names lead to a record', async () => {
    const org = anOrganization();
    const byPresentName = new NamedRecords<string, string, Head>({
      ...naming('strict record'),
      leadsTo: ({ name: present, ended }, name) => !ended || present === name,
    });
    await table.transact([
      byPresentName.release(org, 'one', '1'),
      byPresentName.claim(org, 'uno', '1', taken),
      { put: { ...naming('').headKey(org, '1'), v: 1, id: '1', name: 'uno', ended: true } },
    ]);
    expect(await byPresentName.find(table, org, 'one')).toBeNull();
    expect(await byPresentName.find(table, org, 'uno')).toMatchObject({ id: '1' });
  });

  test('say whose name is not remembered', async () => {
    const org = anOrganization();
    const losing = new NamedRecords<string, string, Head>({
      ...naming('losing record'),
      keepsName: ({ ended }) => !ended,
    });
    await create(losing, org, { ...one, ended: true });
    const { table: counting, units } = countingTable(table);
    await losing.find(counting, org, 'one');
    await losing.find(counting, org, 'one');
    expect(units.read).toBe(4);
  });

  test.each([
    [true, 1],
    [undefined, 2],
  ])('say whether a batch uses remembered ids (%s)', async (isPermanent, reads) => {
    const org = anOrganization();
    const kind = `record of a batch ${isPermanent}`;
    const batched = new NamedRecords<string, string, Head>({ ...naming(kind), ...(isPermanent && { isPermanent }) });
    await create(batched, org, one);
    await create(batched, org, two);
    batched.remember(org, one);
    const { table: counting, units } = countingTable(table);
    expect(await batched.findIds(counting, org, ['one', 'two', 'one', 'none'])).toEqual(
      new Map([
        ['one', '1'],
        ['two', '2'],
      ]),
    );
    // The item of a name that no record has costs a read too.
    expect(units.read).toBe(reads + 1);
  });
});
