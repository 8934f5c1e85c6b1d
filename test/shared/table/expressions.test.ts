import { describe, expect, test } from 'vitest';
import {
  above,
  absent,
  atMost,
  below,
  change,
  different,
  either,
  equal,
  exists,
  onlyIf,
  unchanged,
} from '#shared/table/expressions.ts';

describe('a condition', () => {
  test('names attributes and values by placeholders', () => {
    expect(onlyIf(equal({ state: 'running', rev: 3 }))).toEqual({
      ConditionExpression: '#state = :v0 AND #rev = :v1',
      ExpressionAttributeNames: { '#state': 'state', '#rev': 'rev' },
      ExpressionAttributeValues: { ':v0': 'running', ':v1': 3 },
    });
  });

  test('compares the attributes of a record with the values that a writer read', () => {
    expect(onlyIf(unchanged({ rev: 3, commit: null, name: 'web' }, 'rev', 'commit'))).toEqual({
      ConditionExpression: '#rev = :v0 AND #commit = :v1',
      ExpressionAttributeNames: { '#rev': 'rev', '#commit': 'commit' },
      ExpressionAttributeValues: { ':v0': 3, ':v1': null },
    });
  });

  test.each([
    [below({ at: 5 }), '#at < :v0'],
    [atMost({ at: 5 }), '#at <= :v0'],
    [above({ at: 5 }), '#at > :v0'],
    [different({ at: 5 }), '#at <> :v0'],
  ])('compares an attribute with a value (%#)', (term, text) => {
    expect(onlyIf(term)).toEqual({
      ConditionExpression: text,
      ExpressionAttributeNames: { '#at': 'at' },
      ExpressionAttributeValues: { ':v0': 5 },
    });
  });

  test.each([
    [absent(), 'attribute_not_exists(pk)'],
    [exists(), 'attribute_exists(pk)'],
  ])('that compares nothing has neither names nor values (%#)', (term, ConditionExpression) => {
    expect(onlyIf(term)).toEqual({ ConditionExpression });
  });

  test('joins terms, and puts alternatives into parentheses', () => {
    expect(onlyIf(exists(), either(absent('copied'), below({ 'copied.size': 7 })))).toEqual({
      ConditionExpression: 'attribute_exists(pk) AND (attribute_not_exists(#copied) OR #copied.#size < :v0)',
      ExpressionAttributeNames: { '#copied': 'copied', '#size': 'size' },
      ExpressionAttributeValues: { ':v0': 7 },
    });
  });

  test('reaches members of lists', () => {
    expect(onlyIf(equal({ 'files[2].sha256': 'a' })).ConditionExpression).toBe('#files[2].#sha256 = :v0');
  });
});

describe('an update', () => {
  test('sets, adds and removes attributes, and shares its placeholders with its condition', () => {
    expect(
      change(
        { set: { rev: 4, v: 1 }, setOnce: { since: 9 }, add: { attempts: 1 }, remove: ['salt'] },
        equal({ rev: 3 }),
      ),
    ).toEqual({
      UpdateExpression: 'SET #rev = :v0, #v = :v1, #since = if_not_exists(#since, :v2) ADD #attempts :v3 REMOVE #salt',
      ConditionExpression: '#rev = :v4',
      ExpressionAttributeNames: {
        '#rev': 'rev',
        '#v': 'v',
        '#since': 'since',
        '#attempts': 'attempts',
        '#salt': 'salt',
      },
      ExpressionAttributeValues: { ':v0': 4, ':v1': 1, ':v2': 9, ':v3': 1, ':v4': 3 },
    });
  });

  test('copies what other attributes had before, and zero for those that are absent', () => {
    expect(change({ set: { r: 7 }, copy: { r1: 'r', r2: 'r1' } })).toEqual({
      UpdateExpression: 'SET #r = :v0, #r1 = if_not_exists(#r, :v1), #r2 = if_not_exists(#r1, :v1)',
      ExpressionAttributeNames: { '#r': 'r', '#r1': 'r1', '#r2': 'r2' },
      ExpressionAttributeValues: { ':v0': 7, ':v1': 0 },
    });
  });

  test('an update without a term has no condition', () => {
    expect(change({ remove: ['text'] })).toEqual({
      UpdateExpression: 'REMOVE #text',
      ExpressionAttributeNames: { '#text': 'text' },
    });
  });
});
