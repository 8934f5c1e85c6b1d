import { expect, test } from 'vitest';
import type { Micros } from '#shared/base/time.ts';
import { type OngoingGap, planGaps, STORED_ARRIVALS } from '#shared/expectations/rules/gaps/plan.ts';
import { isTooLong } from '#shared/expectations/rules/gaps/silence.ts';
import { missingBetween, type UnknownTime, unknownWithin } from '#shared/expectations/rules/gaps/unknown-time.ts';
import { at, DAY, dice, OUTAGE, secondOf } from './simulated-service.ts';

/**
 * A day of 1,000 environments in seconds. The service side looks every minute and is told of arrivals while a gap lasts. The
 * oracle knows all arrivals of the day and the outage, and says which gaps there were.
 */

const SECOND = 1_000_000;
const EVERY = 20 * 60;
const GRACE = 2 * 60;

/** The seconds at which reports of an environment arrive: one each minute, with holes. */
function arrivalsOf(environment: number, random: () => number): number[] {
  const phase = Math.floor(random() * 60);
  const arrivals: number[] = [];
  const dies = environment % 10 === 0 ? 3600 + Math.floor(random() * (DAY - 3 * 3600)) : DAY;
  // Some of the dead come back after half an hour to two hours, in a burst of late and repeated reports.
  const returns = environment % 20 === 0 ? dies + 1800 + Math.floor(random() * 5400) : DAY;
  for (let second = phase; second < DAY; second += 60) {
    if (second >= dies && second < returns) continue;
    if (second >= OUTAGE.from && second < OUTAGE.to) continue;
    // A report is late by up to 50 seconds, or does not come at all.
    if (random() < 0.05) continue;
    arrivals.push(Math.min(DAY, second + Math.floor(random() * 50)));
    if (random() < 0.05) arrivals.push(Math.min(DAY, second + 1));
  }
  // Others are silent for nearly as long as they may, or for a little longer.
  if (environment % 7 === 3) {
    const from = 15 * 3600 + Math.floor(random() * 3600);
    const silence = EVERY + GRACE - 90 + Math.floor(random() * 240);
    return arrivals.filter((second) => second < from || second > from + silence).toSorted((a, b) => a - b);
  }
  return arrivals.toSorted((a, b) => a - b);
}

interface Found {
  environment: number;
  from: number;
  until: number | null;
  state: 'gap' | 'unknown';
}

/** What happened, said from all arrivals at once. */
function oracle(environment: number, arrivals: readonly number[]): Found[] {
  const times = [0, ...arrivals];
  return times.flatMap((last, i): Found[] => {
    const next = times[i + 1];
    const end = next ?? DAY;
    if (end - last <= EVERY + GRACE) return [];
    const out = Math.max(0, Math.min(end, OUTAGE.to) - Math.max(last, OUTAGE.from));
    const state = end - last - out > EVERY + GRACE ? 'gap' : 'unknown';
    return [{ environment, from: last + EVERY, until: next ?? null, state }];
  });
}

/** What the service finds: beats and looks each minute, and the relay at each arrival while a gap lasts. */
function service(environment: number, arrivals: readonly number[], offset: number): Found[] {
  const terms = { every: EVERY * SECOND, grace: GRACE * SECOND, version: 1, changedAt: at(0), startsAt: at(0) };
  const found = new Map<number, Found>();
  let gap: (OngoingGap & { from: number }) | undefined;
  let stored: Micros[] = [];
  let lookedAt: Micros | null = null;
  let unknown: UnknownTime[] = [];
  let beat: Micros = at(0);
  let next = 0;
  const end = (until: Micros, of: OngoingGap & { from: number }) => {
    const known = of.isKnown || isTooLong(terms, of.since, until, unknownWithin(unknown, of.since, until));
    found.set(of.from, { environment, from: of.from, until: secondOf(until), state: known ? 'gap' : 'unknown' });
    gap = undefined;
  };
  for (let second = offset; second <= DAY; second += 60) {
    for (; next < arrivals.length && (arrivals[next] ?? DAY) < second; next += 1) {
      const arrival = at(arrivals[next] ?? 0);
      stored = [arrival, ...stored].slice(0, STORED_ARRIVALS);
      if (gap && arrival > gap.lastAt) end(arrival, gap);
    }
    if (second >= OUTAGE.from && second < OUTAGE.to) continue;
    const now = at(second);
    const missing = missingBetween(beat, now);
    if (missing) unknown = [...unknown, missing];
    beat = now;
    for (const step of planGaps(terms, { created: at(0), arrivals: stored }, gap, { now, lookedAt, unknown }).steps) {
      if (step.step === 'end') end(step.until, { ...step.gap, from: gap?.from ?? 0 });
      else if (step.step === 'raise') {
        const { from } = gap ?? { from: 0 };
        gap = { ...step.gap, isKnown: true, from };
        found.set(from, { environment, from, until: null, state: 'gap' });
      } else {
        const from = secondOf(step.overdue.from);
        const state = step.overdue.isKnown ? ('gap' as const) : ('unknown' as const);
        expect(found.has(from), `the gap from ${from} of ${environment} is found twice`).toBe(false);
        const until = step.step === 'record' ? secondOf(step.until) : null;
        found.set(from, { environment, from, until, state });
        if (step.step === 'open') {
          const { since, isKnown } = step.overdue;
          gap = { id: String(from), lastAt: step.lastAt, since, isKnown, replacedAt: null, from };
        }
      }
    }
    lookedAt = now;
  }
  return [...found.values()].filter(({ from }) => from <= DAY);
}

test('a day of 1,000 environments has exactly the gaps that happened, and none is blamed on an outage', () => {
  const random = dice(39);
  const expected: Found[] = [];
  const found: Found[] = [];
  for (let environment = 0; environment < 1_000; environment += 1) {
    const arrivals = arrivalsOf(environment, random);
    // Gaps that become due after the last look of the day belong to the next day.
    const offset = Math.floor(random() * 60);
    const last = DAY - ((DAY - offset) % 60);
    const isSeen = ({ from }: Found) => from + GRACE < last;
    expected.push(
      ...oracle(
        environment,
        arrivals.filter((second) => second < last),
      ).filter(isSeen),
    );
    found.push(
      ...service(
        environment,
        arrivals.filter((second) => second < last),
        offset,
      ),
    );
  }
  expect(found).toEqual(expected);
  const stopped = expected.filter(({ state, until }) => state === 'gap' && until === null);
  expect(stopped.length).toBeGreaterThanOrEqual(45);
  expect(expected.filter(({ state }) => state === 'unknown').length).toBeGreaterThan(900);
});
