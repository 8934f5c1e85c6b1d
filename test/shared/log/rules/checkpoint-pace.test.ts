import { describe, expect, it } from 'vitest';
import { micros, plus } from '#shared/base/time.ts';
import {
  CHECKPOINT_EVERY,
  ENOUGH_ENTRIES,
  isTurnOfOther,
  secondsUntilDue,
  secondsUntilSigned,
  wishOf,
} from '#shared/log/rules/checkpoint-pace.ts';
import type { Place } from '#shared/log/rules/signature-line.ts';

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

/** Of a log with a checkpoint of 10 entries that is old enough, or younger than the shortest time. */
const growing = (before: number, size: number) => ({ published: { size: 10, at }, before, size });
const [OLD, YOUNG] = [plus(at, CHECKPOINT_EVERY), plus(at, 1_000_000)];

describe('wishOf', () => {
  const wish = (before: number, size: number, number?: number, now = OLD) =>
    wishOf(growing(before, size), number, now, CHECKPOINT_EVERY);

  it('wants a number for the first entry after a checkpoint, and only what is to spare for later ones', () => {
    expect([wish(10, 11), wish(11, 12), wish(12, 12)]).toEqual(['next', 'spare', 'next']);
    expect(wishOf({ published: null, before: 0, size: 1 }, undefined, OLD, CHECKPOINT_EVERY)).toBe('next');
  });

  it('uses the number of the log', () => {
    expect([wish(11, 12, 7), wish(11, 12, 7, YOUNG)]).toEqual([{ number: 7 }, { number: 7 }]);
  });

  it('wants nothing if nothing is to publish, or few entries wait for the shortest time', () => {
    expect([wish(10, 10), wish(10, 10, 7), wish(10, 11, undefined, YOUNG)]).toEqual([null, null, null]);
  });
});

describe('secondsUntilSigned', () => {
  const wait = (before: number, size: number, place: Place | null | undefined, now = OLD) =>
    secondsUntilSigned(growing(before, size), place, now, CHECKPOINT_EVERY);

  it('is 0 if signatures are not limited, or the number was called', () => {
    expect([wait(10, 11, undefined), wait(11, 12, { number: 7, inSeconds: 0 })]).toEqual([0, 0]);
  });

  it('is the longer of the pause and the wait in the line', () => {
    const place = { number: 7, inSeconds: 40 };
    expect([wait(10, 11, place), wait(10, 11, place, YOUNG), wait(10, 11, undefined, YOUNG)]).toEqual([40, 40, 1]);
  });

  it('leaves a log without a number to the call that has one, and otherwise sends a message', () => {
    expect([wait(11, 12, null), wait(10, 11, null), wait(11, 12, undefined, YOUNG)]).toEqual([null, 1, null]);
  });
});
