import { expect, test } from 'vitest';
import { ShortMemory } from '#shared/http/short-memory.ts';

test('values are remembered until their end and not a moment longer', () => {
  let now = 100;
  const memory = new ShortMemory<string>({ now: () => now }, 10);
  memory.set('a', 'x', 200);
  now = 199;
  expect(memory.get('a')).toBe('x');
  now = 200;
  expect(memory.get('a')).toBeUndefined();
});

test('the oldest value gives way when there are too many', () => {
  const memory = new ShortMemory<number>({ now: () => 0 }, 2);
  memory.set('a', 1, 10);
  memory.set('b', 2, 10);
  memory.set('a', 3, 10);
  memory.set('c', 4, 10);
  expect([memory.get('a'), memory.get('b'), memory.get('c')]).toEqual([3, undefined, 4]);
});

test('a value that is forgotten is gone at once, and others stay', () => {
  const memory = new ShortMemory<number>({ now: () => 0 }, 2);
  memory.set('a', 1, 10);
  memory.set('b', 2, 10);
  memory.forget('a');
  memory.forget('never there');
  expect([memory.get('a'), memory.get('b')]).toEqual([undefined, 2]);
});
