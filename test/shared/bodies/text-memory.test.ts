import { describe, expect, it } from 'vitest';
import { digestKey, TextMemory } from '#shared/bodies/text-memory.ts';
import { testId } from '#test/support/ids.ts';

describe('what was made of texts', () => {
  it('gives way to what was used later, where the texts together are too long', () => {
    const memory = new TextMemory<string>(10);
    memory.set('a', 'first', 5);
    memory.set('b', 'second', 5);
    expect(memory.get('a')).toBe('first');
    memory.set('c', 'third', 1);
    expect(['a', 'b', 'c'].map((key) => memory.get(key))).toEqual(['first', undefined, 'third']);
    memory.set('d', 'fourth', 10);
    expect(['a', 'c', 'd'].map((key) => memory.get(key))).toEqual([undefined, undefined, 'fourth']);
  });

  it('gives way where there are too many, however short the texts', () => {
    const memory = new TextMemory<number>();
    for (let i = 0; i <= 1_000; i += 1) memory.set(`key ${i}`, i, 2);
    expect(['key 0', 'key 1', 'key 1000'].map((key) => memory.get(key))).toEqual([undefined, 1, 1_000]);
  });

  it('counts once, however often it is set', () => {
    const memory = new TextMemory<string>(10);
    memory.set('a', 'first', 5);
    for (let i = 0; i < 10; i += 1) memory.set('b', `second ${i}`, 5);
    expect(['a', 'b'].map((key) => memory.get(key))).toEqual(['first', 'second 9']);
    memory.set('b', 'shorter', 1);
    memory.set('c', 'third', 4);
    expect(['a', 'b', 'c'].map((key) => memory.get(key))).toEqual(['first', 'shorter', 'third']);
  });

  it('is nothing that alone would be too long', () => {
    const memory = new TextMemory<string>(10);
    memory.set('a', 'short', 10);
    memory.set('b', 'long', 11);
    expect([memory.get('a'), memory.get('b')]).toEqual(['short', undefined]);
  });
});

describe('the key of a body', () => {
  it('is the same for the digest as text and as bytes, and of one organization alone', () => {
    expect(digestKey(testId('one'), Buffer.from('abcd', 'hex'))).toBe(digestKey(testId('one'), 'abcd'));
    expect(digestKey(testId('two'), 'abcd')).not.toBe(digestKey(testId('one'), 'abcd'));
  });
});
