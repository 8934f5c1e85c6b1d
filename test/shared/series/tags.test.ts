import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applied, isTagName, MOST_BYTES, stepsOf, type Tags, tooMuch } from '#shared/series/tags.ts';

const name = fc.constantFrom('a', 'b', 'c', 'constructor', 'toString');
const value = fc.constantFrom('', '1', '2');
const tags: fc.Arbitrary<Tags> = fc.dictionary(name, value);
const change = fc.record({
  set_tags: fc.option(tags, { nil: null }),
  remove_tags: fc.option(fc.array(fc.oneof(name, fc.constant(''))), { nil: null }),
});

describe('a change of tags', () => {
  test('sets, then removes, and leaves the others', () => {
    void fc.assert(
      fc.property(tags, change, (before, asked) => {
        const expected = new Map([...Object.entries(before), ...Object.entries(asked.set_tags ?? {})]);
        for (const removed of asked.remove_tags ?? []) expected.delete(removed);
        expect(new Map(Object.entries(applied(before, stepsOf(before, asked))))).toEqual(expected);
      }),
    );
  });

  test('comes to nothing when it was made before', () => {
    void fc.assert(
      fc.property(tags, change, (before, asked) => {
        expect(stepsOf(applied(before, stepsOf(before, asked)), asked)).toEqual([]);
      }),
    );
  });

  test('never has more tags on its way than there are before or after', () => {
    void fc.assert(
      fc.property(tags, change, (before, asked) => {
        const steps = stepsOf(before, asked);
        const sizes = steps.map((_, i) => Object.keys(applied(before, steps.slice(0, i))).length);
        const after = Object.keys(applied(before, steps)).length;
        expect(Math.max(0, ...sizes)).toBeLessThanOrEqual(Math.max(Object.keys(before).length, after));
      }),
    );
  });

  test('names the tags that are new, changed and gone', () => {
    expect(stepsOf({ a: '1', b: '1', c: '1' }, { set_tags: { a: '2', b: '1', d: '1' }, remove_tags: ['c'] })).toEqual([
      { name: 'c', before: '1', after: undefined },
      { name: 'a', before: '1', after: '2' },
      { name: 'd', before: undefined, after: '1' },
    ]);
  });
});

describe('the name of a tag', () => {
  test.each(['a', '0', 'team', 'a-b_c.d~e', 'x'.repeat(128)])('may be %j', (text) => {
    expect(isTagName(text)).toBe(true);
  });

  test.each(['', '-a', '_a', '.a', '~a', 'a b', 'a#b', 'a:b', 'a=b', 'ä', '__proto__', 'x'.repeat(129)])(
    'may not be %j',
    (text) => {
      expect(isTagName(text)).toBe(false);
    },
  );
});

describe('the limits of a resource', () => {
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`t${i}`, 'v']));

  test('are two hundred tags', () => {
    expect(tooMuch(many(200))).toBeUndefined();
    expect(tooMuch(many(201))).toBe('A resource may have at most 200 tags; it would have 201');
  });

  test('are a size that two hundred of the longest ASCII tags stay below', () => {
    const longest = Object.fromEntries(
      Array.from({ length: 200 }, (_, i) => [`${i}`.padStart(128, 'x'), 'v'.repeat(1024)]),
    );
    expect(tooMuch(longest)).toBeUndefined();
    const wide = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`t${i}`, '流'.repeat(1024)]));
    expect(tooMuch(wide)).toContain(`at most ${MOST_BYTES} bytes`);
  });
});
