import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Micros, micros } from '#shared/base/time.ts';
import { silenceOf } from '#shared/environments/rules/reports/silence.ts';

const SECOND = 1_000_000;
const MINUTE = 60 * SECOND;
const LAST = micros(1_800_000_000 * SECOND);

/** Reports with these gaps, from the newest to the oldest. */
function reportsWith(...gaps: readonly number[]): Parameters<typeof silenceOf>[0] {
  const at: number[] = [LAST];
  for (const gap of gaps) at.push((at.at(-1) ?? 0) - gap);
  const [r1, r2, r3, r4] = at.slice(1).map(micros);
  return { r: LAST, r1, r2, r3, r4 };
}

const later = (duration: number): Micros => micros(LAST + duration);
const at = (...gaps: readonly number[]) => silenceOf(reportsWith(...gaps), later(26 * 60 * MINUTE));

describe('the silence of a reporter', () => {
  it('begins when the last report is older than three usual intervals', () => {
    const reports = reportsWith(MINUTE, MINUTE, MINUTE, MINUTE);
    expect(silenceOf(reports, later(3 * MINUTE))).toEqual({ usual: MINUTE, since: null });
    expect(silenceOf(reports, later(3 * MINUTE + 1))).toEqual({ usual: MINUTE, since: LAST });
  });

  it.each([
    ['no report', { r: micros(0) }],
    ['a report of an earlier release', { r: LAST }],
    ['fewer than five reports', { ...reportsWith(MINUTE, MINUTE, MINUTE), r4: micros(0) }],
  ])('is not known with %s', (_, reports) => {
    expect(silenceOf(reports, later(1e15))).toEqual({ usual: null, since: null });
  });

  it('is not known if reports come irregularly', () => {
    expect(at(MINUTE, 2 * MINUTE, 4 * MINUTE, 5 * MINUTE).usual).toBe(3 * MINUTE);
    expect(at(MINUTE, 2 * MINUTE, 4 * MINUTE + 1, 5 * MINUTE)).toEqual({ usual: null, since: null });
  });

  it('takes one pause and one repeated report for nothing', () => {
    expect(at(0, MINUTE, 600 * MINUTE, MINUTE)).toEqual({ usual: MINUTE, since: LAST });
  });

  it('does not take reports in quick succession for a usual interval', () => {
    expect(at(...Array(4).fill(30 * SECOND)).usual).toBe(30 * SECOND);
    expect(at(...Array(4).fill(30 * SECOND - 1)).usual).toBeNull();
  });

  const times = fc.array(fc.integer({ min: 0, max: LAST }).map(micros), { minLength: 5, maxLength: 5 });
  const stored = ([r = micros(0), r1, r2, r3, r4]: readonly Micros[]) => ({ r, r1, r2, r3, r4 });

  it('is the same in whatever order concurrent reports were stored', () => {
    fc.assert(
      fc.property(times, fc.integer({ min: 0, max: 2 * LAST }).map(micros), (reports, now) => {
        const sorted = reports.toSorted((one, other) => other - one);
        expect(silenceOf(stored(reports), now)).toEqual(silenceOf(stored(sorted), now));
      }),
    );
  });

  it('never has a negative or unknown interval when somebody is silent, and is never ended by time alone', () => {
    fc.assert(
      fc.property(times, fc.integer({ min: 0, max: LAST }), (reports, passed) => {
        const { usual, since } = silenceOf(stored(reports), LAST);
        if (usual !== null) expect(usual).toBeGreaterThanOrEqual(30 * SECOND);
        if (since === null) return;
        expect(since).toBe(Math.max(...reports));
        expect(LAST - since).toBeGreaterThan(3 * (usual ?? Number.NaN));
        expect(silenceOf(stored(reports), later(passed)).since).toBe(since);
      }),
    );
  });

  it('does not begin if the clock of the service went back', () => {
    expect(silenceOf(reportsWith(MINUTE, MINUTE, MINUTE, MINUTE), micros(0)).since).toBeNull();
  });
});
