import { describe, expect, test } from 'vitest';
import { EPOCH, micros } from '#shared/base/time.ts';
import {
  earlierEnd,
  heardUntil,
  presentState,
  shortestSilence,
  silenceReason,
} from '#shared/environments/rules/reports/present-state.ts';

const at = (seconds: number) => micros(1_790_000_000_000_000 + seconds * 1_000_000);
const TWENTY = 20 * 60 * 1_000_000;
const own = (seconds: number) => [{ member: null, at: at(seconds) }];

describe('the silence that a policy allows', () => {
  test('ends one microsecond after its last instant', () => {
    expect(heardUntil(TWENTY, own(0))).toBe(at(1200));
    expect(silenceReason(TWENTY, own(0), at(1200))).toBeNull();
    expect(silenceReason(TWENTY, own(0), micros(at(1200) + 1))).toBe('No report since 2026-09-21T14:13:20Z');
  });

  test('is the shortest of several policies, and none without one', () => {
    expect(shortestSilence([null, 7, 5, undefined])).toBe(5);
    expect(shortestSilence([null])).toBeNull();
    expect(silenceReason(null, own(0), at(1e6))).toBeNull();
  });

  test('counts from the oldest report of the members, and not for one that never reported', () => {
    const reports = [
      { member: 'a', at: at(300) },
      { member: 'b', at: at(100) },
      { member: 'c', at: EPOCH },
    ];
    expect(silenceReason(TWENTY, reports, at(1301))).toBe("No report of 'b' since 2026-09-21T14:15:00Z");
    expect(silenceReason(TWENTY, [{ member: null, at: EPOCH }], at(1e6))).toBeNull();
  });
});

describe('the present state', () => {
  const fresh = { state: true, freshUntil: at(10) };

  test.each([
    ['the stored one until its evidence is too old', fresh, null, 10, { state: true, reason: null }],
    [
      'not compliant after that',
      fresh,
      null,
      11,
      { state: false, reason: 'An attestation is older than a policy allows since 2026-09-21T14:13:30Z' },
    ],
    ['not better by age', { state: false, freshUntil: at(10) }, null, 11, { state: false, reason: null }],
    ['unknown if it was unknown', { state: null, freshUntil: at(10) }, null, 11, { state: null, reason: null }],
    [
      'the stored one where age changes nothing',
      { state: true, freshUntil: EPOCH },
      null,
      11,
      { state: true, reason: null },
    ],
    ['unknown in silence, whatever it was', { state: false }, 'No report', 11, { state: null, reason: 'No report' }],
  ])('is %s', (_, stored, silence, seconds, present) => {
    expect(presentState(stored, silence, at(seconds))).toEqual(present);
  });

  test('ends with the earlier of two ends', () => {
    expect(earlierEnd(at(1), at(2))).toBe(at(1));
    expect(earlierEnd(null, at(2))).toBe(at(2));
    expect(earlierEnd(null, null)).toBeNull();
  });
});
