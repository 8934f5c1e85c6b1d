import { describe, expect, it } from 'vitest';
import { storedKey } from '#shared/table/keys.ts';
import { onlyLocal, streamedTable } from '#test/support/table.ts';

describe('the local database', () => {
  it('stores items and returns the existing item if a conditional put fails', async () => {
    const table = await streamedTable();
    await table.put({ ...storedKey('a', 'b'), value: 1 });
    const outcome = await table.write({
      put: { ...storedKey('a', 'b'), value: 2 },
      ConditionExpression: 'attribute_not_exists(pk)',
      refused: (old) => old?.['value'],
    });
    expect(outcome).toBe(1);
    expect(await table.get(storedKey('a', 'b'))).toEqual({ pk: 'a', sk: 'b', value: 1 });
  });

  it('must be on this machine for tests', () => {
    expect(() => onlyLocal('https://dynamodb.eu-central-1.amazonaws.com')).toThrow('refuse');
  });
});
