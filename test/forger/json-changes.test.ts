import { describe, expect, it } from 'vitest';
import { type Json, replacementsOf, valueAt, valuesIn, withValue } from './json-changes.ts';

const RECORD = { name: 'run', files: [{ size: 1 }, { size: 2 }], body: '{"word":"COMPLIANT"}' };

describe('the values of a record', () => {
  it('are found in members, elements, and documents in texts', () => {
    const paths = valuesIn(RECORD).map(({ path }) => path);
    expect([...new Set(paths)]).toEqual([
      '.name',
      '.files',
      '.files[]',
      '.files[].size',
      '.body',
      '.body{}',
      '.body{}.word',
    ]);
  });

  it('are read at their places', () => {
    for (const { steps, value } of valuesIn(RECORD)) expect(valueAt(RECORD, steps)).toEqual(value);
    expect(valueAt(RECORD, ['files', 2, 'size'])).toBeUndefined();
  });

  it('are replaced where they stand, and nothing else is changed', () => {
    const [word] = valuesIn(RECORD).filter(({ path }) => path === '.body{}.word');
    expect(withValue(RECORD, word?.steps ?? [], 'FAILED')).toEqual({ ...RECORD, body: '{"word":"FAILED"}' });
    expect(withValue(RECORD, ['files', 0], undefined)).toEqual({ ...RECORD, files: [{ size: 2 }] });
  });
});

describe('the changes of a value', () => {
  it.each([
    ['a hash', 'ab'.repeat(32), `${'ab'.repeat(31)}a0`],
    ['a time', '2026-11-23T10:00:00.000Z', '2026-11-23T10:00:01.000Z'],
    ['a name', 'run', 'runx'],
    ['a number', 7, 8],
    ['a verdict', false, true],
  ])('have another one of its form: %s', (_, value, other) => {
    expect(replacementsOf(value, []).map(([, changed]) => changed)).toContainEqual(other);
  });

  it('have the value of another record, its removal and null', () => {
    const changes = replacementsOf('COMPLIANT', ['COMPLIANT', 'INCOMPLETE']).map(([, changed]) => changed);
    expect(changes).toEqual(expect.arrayContaining(['INCOMPLETE', undefined, null]));
  });

  it('differ from the value', () => {
    const values: Json[] = ['', 'x', 0, 1, true, null, [], [1, 2], {}, { a: 1 }];
    for (const value of values) {
      for (const [, changed] of replacementsOf(value, [value])) expect(changed).not.toEqual(value);
    }
  });
});
