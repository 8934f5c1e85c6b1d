import { describe, expect, it } from 'vitest';
import { differences, firstDifference, normalized } from './answers.ts';
import type { GoldenAnswer } from './golden-file.ts';

describe('the comparison of two bodies', () => {
  it.each([
    ['the same value', { a: [1, { b: null }] }, { a: [1, { b: null }] }],
    ['a further field', { a: { b: 1 } }, { a: { b: 1, c: 2 } }],
  ])('accepts %s', (_, golden, now) => {
    expect(firstDifference(golden, now)).toBeUndefined();
  });

  it.each([
    ['another value', { a: [1, 2] }, { a: [1, 3] }, 'body.a[1] is 3 instead of 2'],
    ['a missing field', { a: { b: 1 } }, { a: {} }, 'body.a.b is missing; it was 1'],
    ['a shorter list', { a: [1, 2] }, { a: [1] }, 'body.a has 1 entries instead of 2'],
    ['a longer list', [1], [1, 2], 'body has 2 entries instead of 1'],
    ['another order', ['a', 'b'], ['b', 'a'], 'body[0] is "b" instead of "a"'],
    ['null for an object', { a: {} }, { a: null }, 'body.a is null instead of {}'],
    ['an object for a list', [], {}, 'body is {} instead of []'],
    ['a text for a number', { a: 1 }, { a: '1' }, 'body.a is "1" instead of 1'],
  ])('finds %s', (_, golden, now, sentence) => {
    expect(firstDifference(golden, now)).toBe(sentence);
  });
});

describe('what differs between any two runs', () => {
  it('is replaced in signed addresses, and in the keys of the run', () => {
    const url = 'http://127.0.0.1:4711/evidence/evidence/org/ab?X-Amz-Signature=00';
    const own = { id: 'key-1', description: 'd', created_at: 1 };
    const other = { id: 'key-2', description: 'd' };
    expect(normalized({ url, keys: [own, other], credential: { api_key_id: 'key-1' } }, { keys: ['key-1'] })).toEqual({
      url: 'signed:evidence/org/ab',
      keys: ['the key with which the run asks', other],
      credential: { api_key_id: 'the key with which the run asks' },
    });
  });

  it('is not replaced in other addresses', () => {
    const url = 'https://api.example/evidence/x?page=1';
    expect(normalized({ url }, { keys: [] })).toEqual({ url });
  });
});

describe('the differences of two runs', () => {
  const answer = (body: GoldenAnswer['body'], more: Partial<GoldenAnswer> = {}): GoldenAnswer => ({
    operation: 'getFlow',
    path: '/flows/acme/web',
    query: 'a=b',
    caller: 'reader',
    status: 200,
    type: 'application/json',
    body,
    ...more,
  });

  it('name the release, the request and the first difference', () => {
    expect(differences('1.0.0', [answer({ a: 1, b: 1 })], [answer({ a: 2, b: 2 })])).toEqual([
      '1.0.0: GET /flows/acme/web?a=b as reader: body.a is 2 instead of 1',
    ]);
    expect(differences('1.0.0', [answer({})], [answer({}, { status: 500 })])).toEqual([
      '1.0.0: GET /flows/acme/web?a=b as reader: status is 500 instead of 200',
    ]);
  });

  it('leave out fields that only the newer side has, whichever side that is', () => {
    const [short, long] = [answer({ a: 1 }), answer({ a: 1, b: 2 })];
    expect(differences('1.0.0', [short], [long], 'older')).toEqual([]);
    expect(differences('1.0.0', [long], [short], 'older')).toHaveLength(1);
    expect(differences('1.0.0', [long], [short], 'newer')).toEqual([]);
    expect(differences('1.0.0', [short], [long], 'newer')).toHaveLength(1);
  });
});
