import { beforeAll, describe, expect, inject, test } from 'vitest';
import { localObjects } from '#infra/local/clients.ts';
import { type EnvironmentId, type Id, newId, type OrganizationId } from '#shared/base/ids.ts';
import type { EnvironmentName } from '#shared/base/names.ts';
import { FIRST_PREVIOUS } from '#shared/base/proofs/hash-chain.ts';
import { fromMillis, plus } from '#shared/base/time.ts';
import { archiveEnvironment } from '#shared/environments/records/environment-archive.ts';
import { readAllDetails } from '#shared/environments/records/environment-details.ts';
import type { EnvironmentHead } from '#shared/environments/records/environment-records.ts';
import {
  joinEnvironment,
  newEnvironmentWrites,
  prepareEnvironmentFacts,
  renameEnvironment,
} from '#shared/environments/records/environment-writes.ts';
import {
  findEnvironment,
  findEnvironments,
  readEnvironmentByName,
  readEnvironmentHeads,
  readEnvironmentNames,
  readGroups,
  readListedHeads,
} from '#shared/environments/records/environments.ts';
import { environmentHeadKey, environmentTagsKey } from '#shared/environments/records/keys.ts';
import type { EnvironmentKind } from '#shared/environments/rules/environment-kinds.ts';
import type { Table } from '#shared/table/table.ts';
import { testName } from '#test/support/ids.ts';
import { countingTable } from '#test/support/table/units.ts';
import { onlyLocal, testTable } from '#test/support/table.ts';

const START = fromMillis(Date.UTC(2026, 5, 15, 12));
const objects = localObjects(onlyLocal(inject('s3')));

let table: Table;
beforeAll(async () => {
  table = await testTable();
});
let made = 0;
const anId = <Kind extends Id>(): Kind => {
  made += 1;
  return newId(plus(START, made * 1000));
};
const taken = () => 'taken' as const;

async function create(
  org: OrganizationId,
  name: string,
  kind: EnvironmentKind = 'server',
  members: EnvironmentId[] = [],
) {
  const id = anId<EnvironmentId>();
  const facts = prepareEnvironmentFacts(objects, org, id, { description: name, requireProvenance: false });
  const { head, writes } = newEnvironmentWrites(
    org,
    { id, name: testName(name), kind, at: START, by: 'ada', facts, members },
    taken,
  );
  return { head, outcome: await table.transact(writes) };
}

/** Reads the present head. */
async function present(org: OrganizationId, { id }: EnvironmentHead): Promise<EnvironmentHead> {
  const head = (await readEnvironmentHeads(table, org, [id])).get(id);
  if (!head) throw new Error(`No environment ${id}`);
  return head;
}

describe('a new environment', () => {
  test('has no snapshot, no state and the first link of its chain', async () => {
    const org = anId<OrganizationId>();
    const { head, outcome } = await create(org, 'web');
    expect(outcome).toBe('done');
    const read = await present(org, head);
    expect(read).toMatchObject({
      name: 'web',
      kind: 'server',
      created: START,
      by: 'ada',
      archived: null,
      rev: 1,
      policies: [],
      members: [],
      index: 0,
      at: 0,
      digest: '',
      state: null,
      since: 0,
      known: null,
      events: 0,
      mark: 0,
      evaluatedMark: 0,
      evaluatedAt: 0,
    });
    expect(Buffer.from(read.hash)).toEqual(Buffer.from(FIRST_PREVIOUS));
  });

  test('refuses a name that is the present name of another environment', async () => {
    const org = anId<OrganizationId>();
    const { head } = await create(org, 'web');
    expect((await create(org, 'web')).outcome).toBe('taken');
    expect((await findEnvironment(table, org, testName('web')))?.id).toBe(head.id);
  });
});

describe('a name', () => {
  test.each(['a#b', 'a~b', '', '-a', 'n'.repeat(256), '__proto__'])('%j is unknown without a read', async (name) => {
    const { table: counting, units } = countingTable(table);
    expect(await findEnvironment(counting, anId(), testName(name))).toBeNull();
    expect(await readEnvironmentByName(counting, objects, anId(), testName(name))).toBeNull();
    expect(await findEnvironments(counting, anId(), [testName(name)])).toEqual(new Map());
    expect(units.read).toBe(0);
  });

  test('costs two reads the first time, and one while it is remembered', async () => {
    const org = anId<OrganizationId>();
    const { head } = await create(org, 'web');
    const { table: counting, units } = countingTable(table);
    await findEnvironment(counting, org, testName('web'));
    expect(units.read).toBe(2);
    await findEnvironment(counting, org, testName('web'));
    expect(units.read).toBe(3);
    await renameEnvironment(table, org, head, testName('other'), START, () => []);
    expect((await findEnvironment(counting, org, testName('web')))?.name).toBe('other');
    expect(units.read).toBe(3 + 3);
  });

  test('the name of an archived environment leads to it until another takes the name, whatever is remembered', async () => {
    const org = anId<OrganizationId>();
    const { head } = await create(org, 'web');
    await findEnvironment(table, org, testName('web'));
    await archiveEnvironment(table, org, head, plus(START, 5), { others: () => [], audited: () => [] });
    expect(await findEnvironment(table, org, testName('web'))).toMatchObject({ id: head.id, archived: START + 5 });
    const next = await create(org, 'web');
    expect(await findEnvironment(table, org, testName('web'))).toMatchObject({ id: next.head.id, archived: null });
  });

  test('is found in a batch, also if it is an alias or of an archived environment', async () => {
    const org = anId<OrganizationId>();
    const [a, b] = [await create(org, 'a'), await create(org, 'b')];
    await renameEnvironment(table, org, a.head, testName('c'), START, () => []);
    await archiveEnvironment(table, org, b.head, plus(START, 5), { others: () => [], audited: () => [] });
    const found = await findEnvironments(table, org, ['a', 'b', 'c', 'a', 'nope'].map(testName<EnvironmentName>));
    expect([...found].map(([name, { id }]) => [name, id]).toSorted()).toEqual([
      ['a', a.head.id],
      ['b', b.head.id],
      ['c', a.head.id],
    ]);
    expect(found.get(testName('b'))?.archived).toBe(START + 5);
    expect(await readEnvironmentNames(table, org, [a.head.id, anId()])).toEqual(new Map([[a.head.id, 'c']]));
  });
});

describe('writers of settings', () => {
  test('do not change the mark', async () => {
    const org = anId<OrganizationId>();
    const { head } = await create(org, 'web');
    const mark = { UpdateExpression: 'SET mark = mark + :one', ExpressionAttributeValues: { ':one': 1 } };
    await table.update(environmentHeadKey(org, head.id), mark);
    await renameEnvironment(table, org, head, testName('other'), START, () => []);
    const renamed = await present(org, head);
    await table.update(environmentHeadKey(org, head.id), mark);
    expect(await archiveEnvironment(table, org, renamed, plus(START, 5), { others: () => [], audited: () => [] })).toBe(
      'done',
    );
    expect(await present(org, head)).toMatchObject({ name: 'other', mark: 2, archived: START + 5, rev: 3 });
  });

  test('get `again` if another writer was first', async () => {
    const org = anId<OrganizationId>();
    const { head } = await create(org, 'web');
    await renameEnvironment(table, org, head, testName('other'), START, () => []);
    expect(await renameEnvironment(table, org, head, testName('third'), START, () => [])).toBe('again');
    expect(await archiveEnvironment(table, org, head, START, { others: () => [], audited: () => [] })).toBe('again');
  });

  test('see a member that joins while it is archived', async () => {
    const org = anId<OrganizationId>();
    const [member, group] = [await create(org, 'a'), await create(org, 'all', 'logical')];
    expect(await joinEnvironment(table, org, group.head, member.head.id, START, () => [])).toBe('done');
    expect(await readGroups(table, org, member.head.id)).toEqual([group.head.id]);
    expect(
      await archiveEnvironment(table, org, member.head, plus(START, 5), { others: () => [], audited: () => [] }),
    ).toBe('again');
    expect(
      await archiveEnvironment(table, org, await present(org, member.head), plus(START, 5), {
        others: () => [],
        audited: () => [],
      }),
    ).toBe('done');
    expect((await present(org, group.head)).members).toEqual([]);
    expect(await joinEnvironment(table, org, await present(org, group.head), member.head.id, START, () => [])).toBe(
      'again',
    );
    expect((await create(org, 'other', 'logical', [member.head.id])).outcome).toBe('taken');
  });
});

describe('many environments', () => {
  test('are read in the order given, without missing ones', async () => {
    const org = anId<OrganizationId>();
    const [a, b] = [await create(org, 'a'), await create(org, 'b')];
    await table.put({ ...environmentTagsKey(org, b.head.id), v: 1, tags: { tier: 'one' } });
    const listed = [b.head.id, anId<EnvironmentId>(), a.head.id];
    expect(await readListedHeads(table, org, listed)).toMatchObject([{ name: 'b' }, { name: 'a' }]);
    const details = await readAllDetails(table, org);
    expect(await details.of(objects, b.head.id)).toEqual({
      facts: { description: 'b', requireProvenance: false },
      tags: { tier: 'one' },
      policies: [],
      members: [],
    });
    expect(await details.of(objects, anId())).toBeNull();
    expect(await readEnvironmentByName(table, objects, org, testName('b'))).toMatchObject({
      facts: { description: 'b' },
      factsItem: { rev: 1 },
      tags: { tier: 'one' },
    });
    expect(await readEnvironmentByName(table, objects, org, testName('a'))).toMatchObject({
      head: { id: a.head.id },
      entry: { n: 'a', k: 'server', m: START, r: 0, c: 0 },
    });
  });

  test('are placeholders if they cannot be read', async () => {
    const org = anId<OrganizationId>();
    const { head } = await create(org, 'a');
    await table.put({ ...environmentHeadKey(org, head.id), v: 1, name: 5 });
    expect(await readListedHeads(table, org, [head.id])).toEqual([{ id: head.id, unreadable: expect.any(Error) }]);
  });
});
