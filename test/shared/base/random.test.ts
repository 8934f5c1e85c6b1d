import { describe, expect, it } from 'vitest';
import { randomBytes } from '#shared/base/random.ts';

describe('random bytes', () => {
  it('have the requested number, also if it is larger than one block', () => {
    for (const size of [0, 1, 8, 32, 4_095, 4_096, 4_097, 10_000]) expect(randomBytes(size)).toHaveLength(size);
  });

  it("are nobody else's: none comes twice, and what one writes into his own stays there", () => {
    const pieces = Array.from({ length: 2_000 }, () => randomBytes(16));
    expect(new Set(pieces.map((bytes) => bytes.toString('hex'))).size).toBe(2_000);
    const [one, next] = [randomBytes(8), randomBytes(8)];
    const before = next.toString('hex');
    one.fill(0);
    expect(next.toString('hex')).toBe(before);
    expect(randomBytes(8).equals(Buffer.alloc(8))).toBe(false);
  });

  it('use every value', () => {
    expect(new Set(randomBytes(10_000)).size).toBe(256);
  });
});
