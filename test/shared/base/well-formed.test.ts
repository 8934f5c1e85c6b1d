import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RawJson, stringify } from '#shared/base/json-text.ts';
import { canonicalJson } from '#shared/base/proofs/hash-chain.ts';
import {
  cutText,
  encodeText,
  illFormedTexts,
  shortenText,
  wellFormed,
  wellFormedJson,
} from '#shared/base/well-formed.ts';
import { parseYaml } from '#shared/base/yaml-text.ts';

const HALF = '\ud83d';
/** Any string of JavaScript, halves of pairs among them. */
const anyText = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) });

describe('a cut text', () => {
  test('never ends inside a character', () => {
    expect(cutText('ab😀', 3)).toBe('ab');
    expect(cutText('ab😀', 4)).toBe('ab😀');
    expect(shortenText('ab😀c', 3)).toBe('ab…');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (text, length) => {
        const cut = cutText(text, length);
        expect(cut.isWellFormed()).toBe(true);
        expect(text.startsWith(cut)).toBe(true);
        expect(cut.length).toBeGreaterThanOrEqual(Math.min(text.length, length - 1));
      }),
    );
  });
});

describe('half a surrogate pair', () => {
  test('becomes the replacement character in addresses, values and canonical JSON', () => {
    expect(encodeText(`a${HALF}`)).toBe('a%EF%BF%BD');
    expect(wellFormed({ [HALF]: [HALF, 1, null] })).toEqual({ '\ufffd': ['\ufffd', 1, null] });
    expect(canonicalJson({ b: HALF, a: '😀' })).toBe('{"a":"😀","b":"\ufffd"}');
  });

  test('becomes the replacement character in printed JSON, also where a text is printed unchanged', () => {
    const sent = '{"half":"\\ud83d","pair":"\\uD83D\\uDE00","text":"\\\\ud83d"}';
    expect(stringify({ raw: new RawJson(sent), half: HALF })).toBe(
      '{"raw":{"half":"\\ufffd","pair":"\\uD83D\\uDE00","text":"\\\\ud83d"},"half":"\\ufffd"}',
    );
    fc.assert(
      fc.property(fc.dictionary(anyText, anyText), (value) => {
        expect(JSON.parse(wellFormedJson(JSON.stringify(value)))).toEqual(wellFormed(value));
      }),
    );
  });

  test('is found at its field', () => {
    const value = { a: [{ b: HALF }, 'ok'], [`k${HALF}`]: HALF, c: '😀' };
    expect([...illFormedTexts(value)].map(({ path }) => path)).toEqual([['a', 0, 'b'], [`k${HALF}`]]);
  });

  test('is refused in YAML, where only escapes make it', () => {
    expect(() => parseYaml('a: 1\nb: "x\\ud83d"')).toThrow(
      'line 2, column 4: a text contains half of a surrogate pair',
    );
    expect(() => parseYaml('"\\ud83d": 1')).toThrow('half of a surrogate pair');
    expect(parseYaml('a: 😀')).toEqual(new Map([['a', '😀']]));
  });
});
