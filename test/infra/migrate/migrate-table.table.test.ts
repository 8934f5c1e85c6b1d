import { beforeEach, describe, expect, test } from 'vitest';
import { localDatabase } from '#infra/local/clients.ts';
import { runMigrate } from '#infra/migrate/command.ts';
import { type Migration, migrateTable } from '#infra/migrate/migrate-table.ts';
import { keyIn, migrationKey } from '#shared/table/keys.ts';
import type { Table } from '#shared/table/table.ts';
import { readState } from '#shared/table/table-state.ts';
import { testPartition } from '#test/support/ids.ts';
import { scanTable } from '#test/support/table/scan-items.ts';
import { databaseAddress, testTable } from '#test/support/table.ts';

/** Items of the first version have `name`; those of the second one `title`. */
const RENAMED: Migration = {
  to: 2,
  attributesOf: ({ v, name }) => (v === 1 && name !== undefined ? { v: 2, title: name, name: undefined } : null),
};
const ITEMS = 40;
/** Larger than a page of 1 MB together. */
const LARGE = 'x'.repeat(60_000);

let table: Table;
beforeEach(async () => {
  table = await testTable();
  const pk = testPartition('things');
  await table.putMany(
    Array.from({ length: ITEMS }, (_, i) => ({ ...keyIn(pk, `${i}`), v: 1, name: `thing ${i}`, body: LARGE, rev: 1 })),
  );
  await table.put({ ...keyIn(testPartition('others'), 'other'), v: 1 });
});

const open = () => ({ client: localDatabase(databaseAddress()), name: table.name });
const things = async () => (await scanTable(databaseAddress(), table.name)).filter(({ rev }) => rev !== undefined);

/** A client that ends the process at a write, as far as the migration can tell. */
function dyingAfter(writes: number) {
  const { client, name } = open();
  let made = 0;
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        if (/^(Put|Update|Transact)/.test(commandName)) {
          made += 1;
          if (made > writes) throw new Error('killed');
        }
        return next(args);
      },
    { step: 'initialize', name: 'dying' },
  );
  return { client, name };
}

describe('a migration', () => {
  test('changes every item once, keeps the others, and sets the format', async () => {
    const [{ changed, pass } = { changed: 0, pass: 0 }] = await migrateTable(open(), [RENAMED]);
    expect([changed, pass]).toEqual([ITEMS, 2]);
    for (const thing of await things()) {
      expect(thing).toMatchObject({ v: 2, title: `thing ${thing.sk}`, rev: 1, body: LARGE });
      expect(thing).not.toHaveProperty('name');
    }
    expect(await table.get(keyIn(testPartition('others'), 'other'))).toMatchObject({ v: 1 });
    expect(await readState(table)).toMatchObject({ format: 2 });
    expect(await table.get(migrationKey())).toBeUndefined();
  });

  test('reads nothing of a table that has the format', async () => {
    await migrateTable(open(), [RENAMED]);
    expect(await migrateTable(open(), [RENAMED])).toEqual([]);
  });

  test('counts and writes nothing as a dry run', async () => {
    const before = await scanTable(databaseAddress(), table.name);
    expect(await migrateTable(open(), [RENAMED], { dryRun: true })).toMatchObject([
      { changed: ITEMS, read: ITEMS + 1 },
    ]);
    expect(await scanTable(databaseAddress(), table.name)).toEqual(before);
  });

  test.each([0, 1, 2, 3, 7, ITEMS, ITEMS + 2, ITEMS + 4])(
    'that is killed at write %i goes on where it was and ends the same',
    async (writes) => {
      await expect(migrateTable(dyingAfter(writes), [RENAMED])).rejects.toThrow('killed');
      await migrateTable(open(), [RENAMED]);
      expect((await things()).map(({ v, title }) => [v, title]).toSorted()).toEqual(
        Array.from({ length: ITEMS }, (_, i) => [2, `thing ${i}`]).toSorted(),
      );
      expect(await readState(table)).toMatchObject({ format: 2 });
    },
  );

  test('changes no attribute that another writer changed meanwhile, and reads such an item again', async () => {
    const key = keyIn(testPartition('things'), '3');
    let changes = 0;
    const racing: Migration = {
      to: 2,
      attributesOf: (item) => {
        if (item.sk === '3' && item['name'] === 'thing 3') changes += 1;
        return RENAMED.attributesOf(item);
      },
    };
    const { client, name } = open();
    client.middlewareStack.add(
      (next, { commandName = '' }) =>
        async (args) => {
          // Another writer renames the item between the read and the write of the migration.
          const { Key } = args.input as { Key?: { sk?: string } };
          if (commandName.startsWith('Update') && Key?.sk === '3') {
            await table.update(key, {
              UpdateExpression: 'SET #n = :new',
              ConditionExpression: '#n = :old',
              ExpressionAttributeNames: { '#n': 'name' },
              ExpressionAttributeValues: { ':new': 'renamed', ':old': 'thing 3' },
            });
          }
          return next(args);
        },
      { step: 'initialize', name: 'racing' },
    );
    await migrateTable({ client, name }, [racing]);
    expect(changes).toBeGreaterThan(0);
    expect(await table.get(key)).toMatchObject({ v: 2, title: 'renamed' });
  });

  test('finds in a later pass what an earlier release wrote behind it', async () => {
    const late = keyIn(testPartition('things'), 'late');
    const { client, name } = open();
    let scans = 0;
    client.middlewareStack.add(
      (next, { commandName = '' }) =>
        async (args) => {
          const result = await next(args);
          if (commandName.startsWith('Scan')) {
            scans += 1;
            // The first pass has read one page or more. The last page of it comes after this write, and the item before it.
            if (scans === 1) await table.put({ ...late, v: 1, name: 'late', rev: 1 });
          }
          return result;
        },
      { step: 'initialize', name: 'late' },
    );
    await migrateTable({ client, name }, [RENAMED]);
    expect(await table.get(late)).toMatchObject({ v: 2, title: 'late' });
  });

  test('says how far it is, and at the end what it changed', async () => {
    const said: string[] = [];
    await runMigrate(open(), { dryRun: true, migrations: [RENAMED] }, (sentence) => said.push(sentence));
    expect(said.at(-1)).toBe(`Format 2: ${ITEMS} of ${ITEMS + 1} items would change`);
    await runMigrate(open(), { dryRun: false, migrations: [RENAMED] }, (sentence) => said.push(sentence));
    expect(said.at(-1)).toMatch(/^Every item has format 2\. Changed 40 items, read \d+ in all passes$/);
    expect(said).toContainEqual(expect.stringMatching(/^Format 2, pass 1: \d+ items read, \d+ changed$/));
  });
});
