import { describe, expect, it } from 'vitest';
import { micros } from '#shared/base/time.ts';
import { firstStart } from '#shared/expectations/rules/gaps/first-place.ts';
import { knownBefore } from '#shared/expectations/rules/gaps/unknown-time.ts';

const MINUTE = 60_000_000;
const at = (minute: number) => micros(minute * MINUTE);
const between = (from: number, to: number) => ({ from: at(from), to: at(to) });

describe('the instant before which so much known time lies', () => {
  it.each<[string, ReturnType<typeof between>[], number]>([
    ['no unknown time: simply earlier', [], 80],
    ['unknown time before it does not count', [between(10, 80)], 80],
    ['unknown time on the way is left out', [between(85, 95)], 70],
    ['unknown time that lasts is left out up to the instant', [between(90, 130)], 70],
    ['several unknown times come in any order', [between(60, 70), between(95, 99)], 76],
    ['unknown time that begins long before is left out as a whole', [between(20, 85)], 15],
    ['more unknown time than there is time: the epoch', [between(0, 90)], 0],
  ])('%s', (_, times, expected) => {
    expect(knownBefore(at(100), 20 * MINUTE, times)).toBe(at(expected));
  });
});

it('starts are read from before a pause of the service, because the list of starts is behind by it', () => {
  const terms = { every: 5 * MINUTE, grace: MINUTE };
  expect(firstStart(at(94), terms, { unknown: [] })).toBe(at(74));
  // What was due before the pause began at minute 40, and was listed after it.
  expect(firstStart(at(94), terms, { unknown: [between(40, 99)] })).toBe(at(15));
});
