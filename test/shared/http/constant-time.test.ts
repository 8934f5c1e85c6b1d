import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';

// The test watches the real functions, because constant time cannot be measured on a busy machine. Other files of this
// worker loaded the functions unwatched, so they are loaded again here.
vi.resetModules();
vi.doMock('node:crypto', { spy: true });
const { timingSafeEqual } = await import('node:crypto');
const { hashKey, sameHash } = await import('#shared/base/credentials.ts');
afterAll(() => {
  vi.doUnmock('node:crypto');
  vi.resetModules();
});

describe('comparing hashes of keys', () => {
  beforeEach(() => {
    vi.mocked(timingSafeEqual).mockClear();
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
