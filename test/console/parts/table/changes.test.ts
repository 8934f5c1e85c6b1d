import { describe, expect, it } from 'vitest';
import { changeOf, type FieldText, type Version } from '#console/parts/table/model/changes.ts';

interface Note extends Version {
  title: string;
  text: string;
}

const FIELDS: readonly FieldText<Note>[] = [
  ['Title', ({ title }) => title],
  ['Text', ({ text }) => text],
];
const note = (given: Partial<Note>): Note => ({ version: 1, title: 'a', text: 'b', ...given });

describe('what a version of a record changed', () => {
  it('has each field that differs, with both values', () => {
    expect(changeOf(FIELDS, note({}), note({ version: 2, text: 'c' }))).toEqual([
      { field: 'Text', before: 'b', after: 'c' },
    ]);
    expect(changeOf(FIELDS, note({}), note({ version: 2 }))).toEqual([]);
  });

  it('is a sentence where there is nothing to compare', () => {
    expect(changeOf(FIELDS, undefined, note({}))).toBe('Created.');
    expect(changeOf(FIELDS, undefined, note({ version: 51 }))).toContain('not on this page');
    expect(changeOf(FIELDS, note({ unreadable: true }), note({ version: 2 }))).toContain('not on this page');
    expect(changeOf(FIELDS, note({}), note({ version: 2, unreadable: true }))).toContain('cannot be read');
  });
});
