import { describe, expect, test } from 'vitest';
import { hashKey, mintKey, readCredential, sameHash } from '#shared/callers/credentials.ts';

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

describe('credentials', () => {
  test.each([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['  BEARER   abc  ', 'abc'],
    [basic('abc:'), 'abc'],
    [basic('abc:ignored'), 'abc'],
    [basic('abc').replace('Basic', 'bAsIc'), 'abc'],
    [basic(':abc'), 'abc'],
    [basic(':a:bc'), 'a:bc'],
  ])('%j carries a key', (header, key) => {
    expect(readCredential(header)).toBe(key);
  });

  test.each([undefined, '', 'Bearer', 'Bearer  ', 'abc', 'Digest abc', basic(':')])('%j carries none', (header) => {
    expect(readCredential(header)).toBeNull();
  });

  test('new keys have a prefix and 256 random bits, contain no comma and differ', () => {
    const keys = Array.from({ length: 100 }, () => mintKey());
    expect(new Set(keys).size).toBe(100);
    for (const key of keys) expect(key).toMatch(/^dek_[A-Za-z0-9_-]{43}$/);
  });

  test('are stored as their SHA-256', () => {
    expect(hashKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(sameHash(hashKey('abc'), hashKey('abc'))).toBe(true);
    expect(sameHash(hashKey('abc'), hashKey('abd'))).toBe(false);
    expect(sameHash('', hashKey('abd'))).toBe(false);
  });
});
