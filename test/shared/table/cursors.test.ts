import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { newId } from '#shared/base/ids.ts';
import { micros } from '#shared/base/time.ts';
import { cursorIn, readCursorIn, readJsonCursorIn } from '#shared/table/cursors.ts';

const id = newId(micros(1_795_000_000_000_000));
const cursor = cursorIn(['org', 'list'], id);

test('a cursor leads back to its place in its own list', () => {
  expect(readCursorIn(['org', 'list'], cursor)).toBe(id);
});

test('a cursor is invalid for other lists and reveals nothing about its own', () => {
  for (const list of [['org', 'other'], ['other', 'list'], ['org'], ['org', 'list', '']]) {
    expect(readCursorIn(list, cursor)).toBeNull();
  }
  expect(Buffer.from(cursor, 'base64url').toString()).not.toMatch(/org|list/);
});

test('anything else is no cursor', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(readCursorIn(['org', 'list'], text)).toBeNull();
    }),
  );
  const forged = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const { of } = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as { of: string };
  for (const value of [{ of, after: 'x' }, { of }, { of, after: id, more: 1 }, [of, id], null, 5]) {
    expect(readCursorIn(['org', 'list'], forged(value))).toBeNull();
  }
});

test('a place that is no JSON, or of another form, is no cursor', () => {
  const read = (after: string) => readJsonCursorIn(['org'], cursorIn(['org'], after), z.strictObject({ row: z.int() }));
  expect(read('{"row":1}')).toEqual({ row: 1 });
  for (const after of ['', '{', 'null', '{"row":"1"}', '{"row":1,"more":1}']) expect(read(after)).toBeNull();
});
