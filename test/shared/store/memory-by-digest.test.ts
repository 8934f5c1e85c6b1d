import { describe, expect, it } from 'vitest';
import { MemoryByDigest } from '#shared/store/memory-by-digest.ts';

describe('what is remembered by organization and digest', () => {
  it('is found by the digest as text and as bytes, in its organization alone', () => {
    const memory = new MemoryByDigest<string>(2);
    memory.set('one', Buffer.from('abcd', 'hex'), 'value', 5);
    expect([memory.get('one', 'abcd'), memory.get('one', Buffer.from('abcd', 'hex'))]).toEqual(['value', 'value']);
    expect([memory.get('two', 'abcd'), memory.get('one', 'abce')]).toEqual([undefined, undefined]);
  });

  it('gives way to what was used later', () => {
    const memory = new MemoryByDigest<string>(2);
    memory.set('one', '01', 'first', 5);
    memory.set('one', '02', 'second', 6);
    expect(memory.get('one', '01')).toBe('first');
    memory.set('one', '03', 'third', 5);
    expect(['01', '02', '03'].map((digest) => memory.get('one', digest))).toEqual(['first', undefined, 'third']);
    memory.set('one', '01', 'again', 5);
    expect(memory.get('one', '03')).toBe('third');
  });

  it('is nothing long', () => {
    const memory = new MemoryByDigest<string>(2);
    memory.set('one', '01', 'long', 64 * 1024 + 1);
    memory.set('one', '02', 'short', 64 * 1024);
    expect([memory.get('one', '01'), memory.get('one', '02')]).toEqual([undefined, 'short']);
  });
});
