import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { hashKey, sameHash } from '#shared/callers/credentials.ts';

// The test watches the real function, because constant time cannot be measured on a busy machine. Modules that imported
// the function by its name use the watched one after `syncBuiltinESMExports`.
const timingSafeEqual = vi.spyOn(crypto, 'timingSafeEqual');
syncBuiltinESMExports();
afterAll(() => {
  timingSafeEqual.mockRestore();
  syncBuiltinESMExports();
});

describe('comparing hashes of keys', () => {
  beforeEach(() => {
    timingSafeEqual.mockClear();
  });

  test.each([
    ['at the first character', (hash: string) => `x${hash.slice(1)}`],
    ['at the last character', (hash: string) => `${hash.slice(0, -1)}x`],
    ['nowhere', (hash: string) => hash],
  ])('goes over all of both where they differ %s', (_, change) => {
    const hash = hashKey('secret');
    expect(sameHash(hash, change(hash))).toBe(change(hash) === hash);
    expect(timingSafeEqual).toHaveBeenCalledTimes(1);
    expect(timingSafeEqual).toHaveBeenCalledWith(Buffer.from(hash), Buffer.from(change(hash)));
  });
});
