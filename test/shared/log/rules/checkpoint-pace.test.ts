import { describe, expect, it } from 'vitest';
import { micros, plus } from '#shared/base/time.ts';
import { CHECKPOINT_EVERY, ENOUGH_ENTRIES, isTurnOfOther, secondsUntilDue } from '#shared/log/rules/checkpoint-pace.ts';

const at = micros(1_700_000_000_000_000);
const due = (size: number, age: number) => secondsUntilDue({ size: 10, at }, size, plus(at, age), CHECKPOINT_EVERY);

describe('secondsUntilDue', () => {
  it('lets few entries wait until the shortest time is over', () => {
    expect([due(11, 0), due(11, 1_000_001), due(11, CHECKPOINT_EVERY - 1)]).toEqual([2, 1, 1]);
    expect(due(11, CHECKPOINT_EVERY)).toBe(0);
  });

  it('lets no entry wait if there are many', () => {
    expect([due(10 + ENOUGH_ENTRIES - 1, 0), due(10 + ENOUGH_ENTRIES, 0)]).toEqual([2, 0]);
  });

  it('does not wait for a checkpoint whose time lies in the future', () => {
    expect(due(11, -1)).toBe(0);
  });
});

describe('isTurnOfOther', () => {
  it('is false for the call that appended first after the checkpoint', () => {
    expect([isTurnOfOther(10, 10, 12), isTurnOfOther(10, 12, 13)]).toEqual([false, true]);
  });

  it('is false for a call that appended nothing', () => {
    expect(isTurnOfOther(10, 12, 12)).toBe(false);
  });
});
