import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canMatch, claimText, matchesPattern } from '#shared/organizations/rules/claim-patterns.ts';

describe('a pattern', () => {
  it.each([
    ['acme/web', 'acme/web'],
    ['refs/tags/v*', 'refs/tags/v1.2'],
    ['refs/tags/v*', 'refs/tags/v'],
    ['refs/heads/*-release-*', 'refs/heads/x-release-release-1'],
    ['a*b*c', 'aXbYbZc'],
    ['système', 'système'],
  ])('%s matches %s', (pattern, value) => {
    expect(matchesPattern(pattern, value)).toBe(true);
  });

  it.each([
    ['acme/web', 'acme/web-evil'],
    ['acme/web', 'evil-acme/web'],
    ['acme/web', 'acme/web/'],
    ['acme/web', 'acme/web\n'],
    ['acme/web', 'Acme/web'],
    ['acme/web', '\u0430cme/web'],
    ['acme/web', 'acme\u2215web'],
    ['acme/web', 'acme/web\u200b'],
    ['système', 'syste\u0300me'],
    ['acme/*', 'acme/web/evil'],
    ['refs/tags/v*', 'refs/tags/v1/evil'],
    ['refs/tags/v*', 'refs/heads/refs/tags/v1'],
    ['acme.web', 'acmeXweb'],
    ['a*b*c', 'acb'],
    ['ab*ba', 'aba'],
    ['v?', 'v1'],
  ])('%s does not match %j', (pattern, value) => {
    expect(matchesPattern(pattern, value)).toBe(false);
  });
});

it('compares texts, whole numbers and booleans, and no other value', () => {
  const claims = { text: 't', number: 74, yes: true, half: 0.5, list: ['a'], object: {}, nothing: null };
  expect(Object.keys(claims).map((name) => claimText(claims, name))).toEqual([
    ...['t', '74', 'true'],
    ...Array(4).fill(undefined),
  ]);
  expect(['constructor', '__proto__', 'toString'].map((name) => claimText(claims, name))).toEqual(
    Array(3).fill(undefined),
  );
});

describe('canMatch', () => {
  it('finds a common value exactly if there is one', () => {
    const texts = ['', 'a', 'b', '/'];
    const values = new Set<string>(['']);
    for (let length = 0; length < 6; length += 1) {
      for (const value of [...values]) for (const text of texts) if (value.length < 6) values.add(value + text);
    }
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*', '/'), maxLength: 3 });
    void fc.assert(
      fc.property(pattern, pattern, (one, other) => {
        fc.pre(!other.split('/').includes('**'));
        const isThere = [...values].some((value) => matchesPattern(one, value) && matchesPattern(other, value));
        expect(canMatch(one, other)).toBe(isThere);
      }),
      { numRuns: 500 },
    );
  });

  it('takes two stars of a form as any number of parts', () => {
    const matches = (pattern: string) => ['**/x', 'x/**', '**'].map((form) => canMatch(pattern, form));
    expect(['x', 'a/x', 'a/b/x', 'x/a', 'a/*', ''].map(matches)).toEqual([
      [true, true, true],
      [true, false, true],
      [true, false, true],
      [false, true, true],
      [true, false, true],
      [false, false, true],
    ]);
  });
});
