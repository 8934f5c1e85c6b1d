import { expect, test } from 'vitest';
import { memoryOf } from '#shared/base/memory.ts';

const MIB = 1024 * 1024;

test('values of different kinds are separate even under the same key', () => {
  const [one, other] = [memoryOf<string>('test one'), memoryOf<string>('test other')];
  one.set('key', 'first');
  other.set('key', 'second');
  one.forget('never there');
  expect([one.get('key'), other.get('key')]).toEqual(['first', 'second']);
  one.forget('key');
  expect([one.get('key'), other.get('key')]).toEqual([undefined, 'second']);
});

test('all kinds share 16 million characters, and the least recently used value leaves first', () => {
  const [one, other] = [memoryOf<string>('test one'), memoryOf<string>('test other')];
  one.set('a', 'first', 7 * MIB);
  other.set('b', 'second', 7 * MIB);
  expect(one.get('a')).toBe('first');
  other.set('c', 'third', 7 * MIB);
  expect([one.get('a'), other.get('b'), other.get('c')]).toEqual(['first', undefined, 'third']);
});

test('a value above the budget is not remembered and evicts nothing', () => {
  const memory = memoryOf<string>('test');
  memory.set('short', 'kept', 10);
  memory.set('long', 'too long', 16 * MIB);
  expect([memory.get('short'), memory.get('long')]).toEqual(['kept', undefined]);
});

test('the number of short values is bounded, too', () => {
  const memory = memoryOf<string>('test');
  for (let i = 0; i <= 20_000; i += 1) memory.set(`${i}`, 'x', 1);
  expect([memory.get('0'), memory.get('20000')]).toEqual([undefined, 'x']);
});
