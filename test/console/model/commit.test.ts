import { describe, expect, test } from 'vitest';
import { commitText, firstLine } from '#console/model/commit.ts';

describe('the first line of a message', () => {
  test.each([
    ['shorter than the limit', 'Fix it\n\nBecause it was wrong', 'Fix it'],
    ['as long as the limit', 'a'.repeat(10), 'a'.repeat(10)],
    ['longer than the limit', 'a'.repeat(11), `${'a'.repeat(9)}…`],
    ['with a character of two units at the limit', `${'a'.repeat(8)}😀bc`, `${'a'.repeat(8)}…`],
  ])('that is %s', (_, message, shown) => {
    expect(firstLine(message, 10)).toBe(shown);
  });
});

test('a row shows 72 characters of a commit message, and the author without the mail address', () => {
  const message = 'a'.repeat(72);
  expect(commitText({ sha1: 'c0ffee', message, author: 'Ann <ann@example.com>' })).toEqual({
    sha1: 'c0ffee',
    message,
    author: 'Ann',
  });
  expect(commitText({ message: `${message}b` }).message).toBe(`${'a'.repeat(71)}…`);
});
