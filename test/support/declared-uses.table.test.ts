import { beforeAll, describe, expect, inject, test } from 'vitest';
import { localObjects } from '#infra/local/clients.ts';
import type { Endpoint } from '#shared/http/endpoint.ts';
import { storedKey } from '#shared/table/keys.ts';
import type { Key, Table } from '#shared/table/table.ts';
import type { Uses } from '#shared/table/uses.ts';
import { testId } from '#test/support/ids.ts';
import { heldEndpoint, heldTo, holdObjects, UndeclaredUse } from './declared-uses.ts';
import { testTable } from './table.ts';

const FLOW = storedKey('org#FLOW#1', 'HEAD');
const TRAIL = storedKey('org#TRAIL#1', 'H');

let table: Table;
beforeAll(async () => {
  table = await testTable();
});

const held = <T>(uses: Uses, work: () => Promise<T>) => heldTo('probe', uses, work);

describe('code that is limited to its declared uses', () => {
  test('may read everything and write what it declares', async () => {
    await held({ writes: ['FLOW'], checks: ['FLOW'], removes: ['FLOW'] }, async () => {
      await table.put({ ...FLOW, v: 1 });
      await table.update(FLOW, { UpdateExpression: 'SET v = :two', ExpressionAttributeValues: { ':two': 2 } });
      await table.transact([{ update: FLOW, UpdateExpression: 'REMOVE v' }]);
      await table.transact([{ check: FLOW, ConditionExpression: 'attribute_exists(pk)' }]);
      await table.transact([{ remove: FLOW }]);
      await table.getMany([FLOW, TRAIL]);
    });
    expect(await held({}, () => table.query({ pk: TRAIL.pk }))).toEqual([]);
  });

  test.each<[string, () => Promise<unknown>]>([
    ['a put', () => table.put({ ...TRAIL, v: 1 })],
    ['a batch', () => table.putMany([{ ...TRAIL, v: 1 }])],
    ['an update', () => table.update(TRAIL, { UpdateExpression: 'REMOVE v' })],
    ['a put among others', () => table.transact([{ put: { ...FLOW } }, { put: { ...TRAIL } }])],
    ['an update among others', () => table.transact([{ update: TRAIL, UpdateExpression: 'REMOVE v' }])],
    ['a removal among others', () => table.transact([{ remove: FLOW }])],
    ['a check', () => table.transact([{ check: FLOW, ConditionExpression: 'attribute_exists(pk)' }])],
  ])('is refused %s that it does not declare', async (_, work) => {
    await expect(held({ writes: ['FLOW'] }, work)).rejects.toThrow(UndeclaredUse);
    expect(await table.query({ pk: TRAIL.pk })).toEqual([]);
  });

  const SECRET = storedKey('org#ACTIONSECRET#1', 'SECRET');
  const reads: [string, (key: Key) => Promise<unknown>][] = [
    ['a read', (key) => table.get(key)],
    ['a read among others', (key) => table.getMany([FLOW, key])],
    ['a query', ({ pk }) => table.query({ pk })],
    ['a statement', ({ pk }) => table.queryEach([{ pk }, { pk: FLOW.pk }])],
  ];

  test.each(reads)('is refused %s of secrets that it does not declare', async (_, read) => {
    await expect(held({ writes: ['ACTIONSECRET'] }, () => read(SECRET))).rejects.toThrow(UndeclaredUse);
    await held({ reads: ['ACTIONSECRET'] }, () => read(SECRET));
  });

  test.each(reads)('is refused %s that it does not declare if it is a public endpoint', async (_, read) => {
    const asStranger = (uses: Uses) => {
      const definition = { operation: 'probe', access: 'public', uses, handler: async () => read(TRAIL) };
      // The wrapper reads no more of a definition than these members.
      const { handler } = heldEndpoint(definition as unknown as Endpoint);
      return handler({} as never, {} as never);
    };
    await expect(asStranger({ reads: ['FLOW'], selects: ['FLOW'] })).rejects.toThrow(UndeclaredUse);
    await asStranger({ reads: ['FLOW', 'TRAIL'], selects: ['FLOW', 'TRAIL'] });
  });

  test('may not use undeclared prefixes of the bucket', async () => {
    const objects = holdObjects(localObjects(inject('s3')));
    const sha = 'a'.repeat(64);
    const keep = () => objects.putFile(testId('org'), sha, Buffer.from('text'));
    expect(() => heldTo('probe', { bucket: ['bodies:write'] }, keep)).toThrow(UndeclaredUse);
    await held({ bucket: ['evidence:write'] }, keep);
    const address = () => objects.presignDownload(testId('org'), sha, null, 'text.txt', 'text/plain');
    expect(() => heldTo('probe', { bucket: ['evidence:write'] }, address)).toThrow(UndeclaredUse);
    expect(await (await fetch(await held({ bucket: ['evidence:read'] }, address))).text()).toBe('text');
  });
});
