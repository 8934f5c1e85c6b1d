import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  cutMembers,
  JsonTextError,
  MAX_DEPTH,
  parseJson,
  parseKeepingRaw,
  RawJson,
  scanJson,
  stringify,
  withoutSpace,
} from '#shared/base/json-text.ts';

describe('scanJson', () => {
  test('accepts nesting up to the limit and refuses one level more', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(() => scanJson(nested(MAX_DEPTH))).not.toThrow();
    expect(() => scanJson(nested(MAX_DEPTH + 1))).toThrow(JsonTextError);
    expect(() => scanJson(nested(10_000))).toThrow(`JSON nested deeper than ${MAX_DEPTH} levels`);
  });

  test('does not count brackets within strings, escaped quotes among them', () => {
    expect(() => scanJson(JSON.stringify(`"${'['.repeat(1000)}\\"${'{'.repeat(1000)}`), { maxDepth: 1 })).not.toThrow();
  });
});

describe('parseJson', () => {
  test.each(['', '{', '{"a":1,}', 'nul', '"open', '{"a" 1}'])('refuses %j', (text) => {
    expect(() => parseJson(text)).toThrow(JsonTextError);
  });

  test('does not touch prototypes', () => {
    const value = parseJson('{"__proto__":{"admin":true},"constructor":1}') as Record<string, unknown>;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).admin).toBeUndefined();
  });
});

describe('cutMembers', () => {
  test('keeps digits, order of keys, repeated keys and escapes', () => {
    const text = `{ "x": 1, "data" : { "b" : 1.0, "2":1e400, "1": 12345678901234567890 ,\n"b":"\\u0041 \\" }" } , "y":[]}`;
    expect(cutMembers(text, ['data', 'y', 'absent'])).toEqual({
      data: '{"b":1.0,"2":1e400,"1":12345678901234567890,"b":"\\u0041 \\" }"}',
      y: '[]',
    });
  });

  test('takes the last of repeated members, and reads escaped names', () => {
    expect(cutMembers('{"d":1,"\\u0064":2}', ['d'])).toEqual({ d: '2' });
  });

  test('cuts a member named __proto__ without harm', () => {
    const cut = cutMembers('{"__proto__":{"a":1}}', ['__proto__']);
    expect(Object.keys(cut)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(cut)).toBeNull();
  });

  test.each(['[]', '1', 'null', '""'])('refuses %s, which is no object', (text) => {
    expect(() => cutMembers(text, ['a'])).toThrow(JsonTextError);
  });

  test('returns texts that parse to the same values as the whole text, for any white space', () => {
    const spacing = fc.constantFrom(undefined, 1, 4, '\t');
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }), spacing, (value, space) => {
        const text = JSON.stringify(value, null, space);
        const names = Object.keys(value);
        const cut = cutMembers(text, names);
        expect(Object.keys(cut).toSorted()).toEqual(names.toSorted());
        for (const name of names) expect(cut[name]).toBe(JSON.stringify(value[name]));
      }),
    );
  });
});

describe('withoutSpace', () => {
  test('removes white space between tokens', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(withoutSpace(JSON.stringify(value, null, '\t'))).toBe(JSON.stringify(value));
      }),
    );
  });
});

describe('stringify', () => {
  test('prints raw texts unchanged at any place', () => {
    const value = { a: new RawJson('1.0'), list: [new RawJson('{"z":1e400}'), 'x'], plain: null };
    expect(stringify(value)).toBe('{"a":1.0,"list":[{"z":1e400},"x"],"plain":null}');
    expect(stringify(new RawJson('[]'))).toBe('[]');
  });

  test('equals JSON.stringify for everything else', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(stringify(value)).toBe(JSON.stringify(value));
      }),
    );
  });

  test('keeps dollar signs of raw texts, and strings that look like placeholders', () => {
    const text = '"$& $1 $$"';
    expect(stringify([new RawJson(text), '00112233445566778899aabbccddeeff0.'])).toBe(
      `[${text},"00112233445566778899aabbccddeeff0."]`,
    );
  });

  test('gives raw texts as values to an ordinary JSON.stringify', () => {
    expect(JSON.stringify({ a: new RawJson('{"b":1.0}') })).toBe('{"a":{"b":1}}');
  });

  test('refuses values without a JSON text', () => {
    expect(() => stringify(undefined)).toThrow(TypeError);
  });
});

describe('parseKeepingRaw', () => {
  test('leaves the named members as text and parses the others', () => {
    const parsed = parseKeepingRaw('{"n": 1.50, "data": {"n": 1.50}, "list": [1, 2]}', ['data', 'absent']);
    expect(parsed).toEqual({ n: 1.5, data: new RawJson('{"n":1.50}'), list: [1, 2] });
    expect(stringify(parsed)).toBe('{"n":1.5,"data":{"n":1.50},"list":[1,2]}');
  });

  test('refuses what is not an object', () => {
    expect(() => parseKeepingRaw('[1]', ['a'])).toThrow(JsonTextError);
  });
});
