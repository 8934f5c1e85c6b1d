import { describe, expect, it } from 'vitest';
import { EPOCH, type Micros, micros, plus } from '#shared/base/time.ts';
import { type OngoingGap, planGaps, type SubjectArrivals } from '#shared/expectations/rules/gaps/plan.ts';
import type { Look } from '#shared/expectations/rules/gaps/silence.ts';
import { lengthOf, missingBetween, unknownWithin } from '#shared/expectations/rules/gaps/unknown-time.ts';

const MINUTE = 60_000_000;
const at = (minutes: number): Micros => micros(1_800_000_000_000_000 + minutes * MINUTE);

/** Every 20 minutes with a grace of two, in force from the beginning on. */
const TERMS = { every: 20 * MINUTE, grace: 2 * MINUTE, version: 1, changedAt: at(0), startsAt: at(0) };
const subject = (...arrivals: number[]): SubjectArrivals => ({
  created: at(-1000),
  arrivals: arrivals.toReversed().map(at),
});
const look = (
  now: number,
  { lookedAt = now - 1, unknown = [] }: { lookedAt?: number; unknown?: [number, number][] } = {},
) =>
  ({
    now: at(now),
    lookedAt: at(lookedAt),
    unknown: unknown.map(([from, to]) => ({ from: at(from), to: at(to) })),
  }) satisfies Look;
const ongoing = (lastAt: number, changes: Partial<OngoingGap> = {}): OngoingGap => ({
  id: 'gap',
  lastAt: at(lastAt),
  since: at(lastAt),
  isKnown: true,
  replacedAt: null,
  ...changes,
});

describe('planGaps', () => {
  it('opens a gap after `every` and `grace`, which begins after `every`', () => {
    expect(planGaps(TERMS, subject(100), undefined, look(122)).steps).toEqual([]);
    expect(planGaps(TERMS, subject(100), undefined, look(122)).again).toBe(at(122));
    const { steps } = planGaps(TERMS, subject(100), undefined, look(122.5));
    expect(steps).toMatchObject([{ step: 'open', lastAt: at(100), overdue: { from: at(120), isKnown: true } }]);
  });

  it('counts the silence of a subject without an arrival from `starts_at`', () => {
    const { steps } = planGaps(TERMS, subject(), undefined, look(22.5));
    expect(steps).toMatchObject([{ step: 'open', lastAt: EPOCH, overdue: { since: at(0), from: at(20) } }]);
  });

  it('ends a gap with the first arrival after it, even if more followed', () => {
    const { steps, again } = planGaps(TERMS, subject(100, 130, 131, 132), ongoing(100), look(133, { lookedAt: 129 }));
    expect(steps).toMatchObject([{ step: 'end', until: at(130), ended: 'arrived' }]);
    expect(again).toBe(at(154));
  });

  it('leaves an open gap alone while nothing comes', () => {
    expect(planGaps(TERMS, subject(100), ongoing(100), look(200)).steps).toEqual([]);
  });

  it('records a gap that began and ended since the last look', () => {
    const { steps } = planGaps(TERMS, subject(100, 122.5), undefined, look(123, { lookedAt: 122 }));
    expect(steps).toMatchObject([{ step: 'record', lastAt: at(100), until: at(122.5), overdue: { from: at(120) } }]);
  });

  it('does not record a gap again that an earlier look found', () => {
    expect(planGaps(TERMS, subject(100, 130), undefined, look(131, { lookedAt: 129 })).steps).toEqual([]);
  });

  it('does not take the oldest of five stored arrivals for the first one', () => {
    const five = subject(100, 101, 102, 103, 104);
    expect(planGaps(TERMS, five, undefined, look(105, { lookedAt: 90 })).steps).toEqual([]);
  });

  it('finds no gap in a silence that is long only because the service did not run', () => {
    const { steps, again } = planGaps(
      TERMS,
      subject(100),
      undefined,
      look(131, { lookedAt: 100, unknown: [[101, 130]] }),
    );
    expect(steps).toMatchObject([{ step: 'open', overdue: { from: at(120), isKnown: false } }]);
    expect(again).toBe(at(151));
  });

  it('raises an unknown interval once it is too long without the unknown time', () => {
    const gap = ongoing(100, { isKnown: false });
    const unknown: [number, number][] = [[101, 130]];
    expect(planGaps(TERMS, subject(100), gap, look(150, { unknown })).steps).toEqual([]);
    expect(planGaps(TERMS, subject(100), gap, look(151.5, { unknown })).steps).toMatchObject([{ step: 'raise' }]);
  });

  it('ends a gap with its version, and opens the next one where the new version begins', () => {
    const second = { ...TERMS, version: 2, changedAt: at(140) };
    const { steps } = planGaps(
      second,
      subject(100),
      ongoing(100, { replacedAt: at(140) }),
      look(141, { lookedAt: 139 }),
    );
    expect(steps).toMatchObject([
      { step: 'end', until: at(140), ended: 'changed' },
      { step: 'open', overdue: { from: at(140) } },
    ]);
  });

  it('opens no gap under a version that allows the silence', () => {
    const second = { ...TERMS, version: 2, changedAt: at(140), every: 120 * MINUTE };
    const { steps, again } = planGaps(second, subject(100), ongoing(100, { replacedAt: at(140) }), look(141));
    expect(steps).toMatchObject([{ step: 'end', ended: 'changed' }]);
    expect(again).toBe(at(222));
  });

  it('prefers the arrival that came before the version', () => {
    const second = { ...TERMS, version: 2, changedAt: at(140) };
    const { steps } = planGaps(second, subject(100, 139), ongoing(100, { replacedAt: at(140) }), look(141));
    expect(steps).toMatchObject([{ step: 'end', until: at(139), ended: 'arrived' }]);
  });

  it('begins the gap of a subject that came into the scope with the last look before that', () => {
    const { steps } = planGaps(TERMS, subject(100), undefined, look(300, { lookedAt: 299 }));
    expect(steps).toMatchObject([{ step: 'open', overdue: { since: at(100), from: at(299) } }]);
  });

  it('finds the whole silence of a new expectation whose `starts_at` lies in the past', () => {
    const late = { ...TERMS, changedAt: at(299.5) };
    const { steps } = planGaps(late, subject(100), undefined, look(300, { lookedAt: 299 }));
    expect(steps).toMatchObject([{ step: 'open', overdue: { from: at(120) } }]);
  });
});

describe('planGaps of what has to come once', () => {
  const trail = (...arrivals: number[]): SubjectArrivals => ({
    ...subject(...arrivals),
    created: at(100),
    isOnce: true,
  });

  it('expects nothing more after the one arrival', () => {
    expect(planGaps(TERMS, trail(), undefined, look(122.5)).steps).toMatchObject([
      { step: 'open', lastAt: EPOCH, overdue: { since: at(100), from: at(120) } },
    ]);
    expect(planGaps(TERMS, trail(121), undefined, look(500)).steps).toEqual([]);
    const late = planGaps(TERMS, trail(122.5), undefined, look(123, { lookedAt: 122 }));
    expect(late.steps).toMatchObject([{ step: 'record', until: at(122.5), overdue: { from: at(120) } }]);
    expect(late.again).toBeGreaterThan(at(1e6));
  });

  it('ends a gap with the arrival, and begins no other one', () => {
    const gap = ongoing(0, { lastAt: EPOCH, since: at(100) });
    expect(planGaps(TERMS, trail(130), gap, look(200, { lookedAt: 199 })).steps).toMatchObject([
      { step: 'end', until: at(130), ended: 'arrived' },
    ]);
  });
});

describe('unknown time', () => {
  it('is made of whole minutes without a beat', () => {
    expect(missingBetween(at(10), at(11))).toBeNull();
    expect(missingBetween(at(10), at(40))).toEqual({ from: at(11), to: at(40) });
    expect(missingBetween(plus(at(10), 59_000_000), plus(at(12), 1_000_000))).toEqual({ from: at(11), to: at(12) });
  });

  it('counts only between two instants', () => {
    const times = [
      { from: at(10), to: at(20) },
      { from: at(30), to: at(40) },
    ];
    expect(lengthOf(unknownWithin(times, at(15), at(31)))).toBe(6 * MINUTE);
  });
});
