import { beforeAll, describe, expect, inject, test } from 'vitest';
import { localObjects } from '#infra/local/clients.ts';
import type { Table } from '#shared/table/table.ts';
import type { Uses } from '#shared/table/uses.ts';
import { testId } from '#test/support/ids.ts';
import { heldTo, holdObjects, UndeclaredUse } from './declared-uses.ts';
import { testTable } from './table.ts';

const FLOW = { pk: 'org#FLOW#1', sk: 'HEAD' };
const TRAIL = { pk: 'org#TRAIL#1', sk: 'H' };

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
