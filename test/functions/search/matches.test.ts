import { describe, expect, it } from 'vitest';
import { byName, resolve } from '#shared/environments/search/matches.ts';

describe('byName', () => {
  const names = (text: string, ...all: string[]) => byName(all, text, (name) => [name]).items;

  it('finds names that begin with the text in any case, the exact name first, then by name', () => {
    expect(names('Web', 'web-b', 'Web', 'cobweb', 'web-a')).toEqual(['Web', 'web-a', 'web-b']);
  });

  it('shows ten and says that there are more', () => {
    const many = Array.from({ length: 11 }, (_, i) => `n${i}`);
    expect(byName(many, 'n', (name) => [name])).toMatchObject({ items: { length: 10 }, more: true });
    expect(byName(many.slice(1), 'n', (name) => [name])).toMatchObject({ items: { length: 10 }, more: false });
  });
});

describe('resolve', () => {
  it.each([
    [{ fingerprints: ['abcde1'] }, { type: 'fingerprint', full_match: 'abcde1' }],
    [{ commits: ['abcde1'] }, { type: 'commit', full_match: 'abcde1' }],
    [{ names: ['abcdef'] }, { type: 'name', full_match: 'abcdef' }],
    [{ names: ['abcdef', 'abcdeg'] }, { type: 'name', full_match: 'abcde' }],
    [{ fingerprints: ['abcde1', 'abcde2'] }, { type: 'ambiguous', full_match: 'abcde' }],
    [
      { fingerprints: ['abcde1'], names: ['abcdef'] },
      { type: 'ambiguous', full_match: 'abcde' },
    ],
    [{}, { type: 'nothing', full_match: 'abcde' }],
  ])('resolve finds for %j the match %j', (found, expected) => {
    expect(resolve('abcde', { fingerprints: [], commits: [], names: [], ...found })).toEqual(expected);
  });
});
