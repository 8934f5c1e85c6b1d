import { expect, test } from 'vitest';
import { Remembered } from '#shared/environments/environment-memory.ts';

test('the memory of texts is emptied at its limit instead of growing', () => {
  const remembered = new Remembered();
  for (let i = 0; i <= 50_000; i += 1) remembered.add(String(i));
  expect([remembered.size, remembered.has('50000'), remembered.has('0')]).toEqual([1, true, false]);
});
