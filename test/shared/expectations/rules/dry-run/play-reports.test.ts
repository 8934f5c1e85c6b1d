import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY, MINUTE } from '#shared/base/texts/durations.ts';
import { EPOCH, type Micros, micros } from '#shared/base/time.ts';
import { PresenceDay, SHORTEST_SILENCE } from '#shared/environments/rules/reports/presence-day.ts';
import { playReports } from '#shared/expectations/rules/dry-run/play-reports.ts';

const HOUR = 60 * MINUTE;
/** The beginning of a day. */
const BEGIN = micros(20_000 * DAY);

/** The presence of days as the definition says, from all reports. */
function presenceOf(reports: readonly Micros[]): PresenceDay[] {
  const byDay = Map.groupBy(reports, (at) => Math.floor(at / DAY));
  return [...byDay.values()].map((of) => {
    const pairs = of.slice(1).map((until, i) => ({ from: of[i] ?? until, until }));
    const longest = Math.max(0, ...pairs.map(({ from, until }) => until - from));
    const first = of[0] ?? EPOCH;
    return PresenceDay.parse({
      hours: Array.from({ length: 24 }, (_, hour) => of.filter((at) => Math.floor((at % DAY) / HOUR) === hour).length),
      first,
      last: of.at(-1),
      silence: longest > SHORTEST_SILENCE ? pairs.find(({ from, until }) => until - from === longest) : null,
      before: reports.findLast((at) => at < first) ?? EPOCH,
    });
  });
}

/** The gaps as they are, from all reports. */
function gapsOf(
  reports: readonly Micros[],
  { every, grace }: { every: number; grace: number },
  begin: Micros,
  now: Micros,
) {
  const from = [begin, ...reports.filter((at) => at > begin)];
  return from.flatMap((at, i) => {
    const next = from[i + 1] ?? null;
    return (next ?? now) - at > every + grace ? [{ from: at + every, until: next as number | null }] : [];
  });
}

const terms = { every: 20 * MINUTE, grace: 2 * MINUTE };
const minutes = (...list: number[]) => list.map((at) => micros(BEGIN + at * MINUTE));
const play = (reports: readonly Micros[], now: Micros, created = BEGIN) =>
  playReports(terms, { days: presenceOf(reports), last: reports.at(-1) ?? EPOCH, created, from: BEGIN, now });

describe('a dry run of reports', () => {
  it('finds no gap in a day whose longest silence is short enough, and says that nothing is unknown', () => {
    const reports = minutes(...Array.from({ length: 72 }, (_, n) => n * 20));
    expect(play(reports, micros(BEGIN + DAY))).toEqual({ gaps: [], unknown: [] });
  });

  it('finds the longest silence of a day, the one over midnight and the present one exactly', () => {
    const reports = minutes(5, 10, 90, 100, 1430, 1500);
    const played = play(reports, micros(BEGIN + DAY + 3 * HOUR));
    const exact = played.gaps.filter(({ isExact }) => isExact);
    expect(exact).toEqual([
      { from: micros(BEGIN + 120 * MINUTE), until: micros(BEGIN + 1430 * MINUTE), isExact: true },
      { from: micros(BEGIN + 1450 * MINUTE), until: micros(BEGIN + 1500 * MINUTE), isExact: true },
      { from: micros(BEGIN + 1520 * MINUTE), until: null, isExact: true },
    ]);
    expect(played.unknown).toEqual([
      { from: micros(BEGIN + 5 * MINUTE), until: micros(BEGIN + 100 * MINUTE), because: 'hours_only' },
    ]);
  });

  it('says at least how long a silence was in hours without reports', () => {
    // Between 10 and 230 minutes nothing came; the longest silence is a later one.
    const { gaps } = play(minutes(0, 10, 230, 240, 900, 910), micros(BEGIN + 920 * MINUTE));
    expect(gaps).toContainEqual({
      from: micros(BEGIN + 80 * MINUTE),
      until: micros(BEGIN + 180 * MINUTE),
      isExact: false,
    });
  });

  it('does not invent anything about days that nobody counted', () => {
    const [counted] = presenceOf(minutes(3 * 1440 + 10, 3 * 1440 + 20));
    const now = micros(BEGIN + 3 * DAY + 30 * MINUTE);
    const before = micros(BEGIN + 2 * DAY);
    const days = counted ? [{ ...counted, before }] : [];
    const past = { days, last: micros(BEGIN + 3 * DAY + 20 * MINUTE), created: BEGIN, from: BEGIN, now };
    expect(playReports(terms, past)).toEqual({
      gaps: [{ from: micros(before + 20 * MINUTE), until: micros(BEGIN + 3 * DAY + 10 * MINUTE), isExact: true }],
      unknown: [{ from: BEGIN, until: before, because: 'not_counted' }],
    });
  });

  it('agrees with all reports: exact gaps are gaps, the others lie in gaps, and every other gap is named as unknown', () => {
    const waits = fc.oneof(
      fc.integer({ min: 0, max: 25 }),
      fc.integer({ min: 0, max: 300 }),
      fc.integer({ min: 0, max: 3000 }),
    );
    fc.assert(
      fc.property(
        fc.array(waits, { maxLength: 60 }),
        fc.integer({ min: -2000, max: 2000 }),
        waits,
        (gaps, offset, rest) => {
          let at = BEGIN + offset * MINUTE;
          const reports = gaps.map((gap) => {
            at += gap * MINUTE + 1;
            return micros(at);
          });
          const now = micros(Math.max(BEGIN, reports.at(-1) ?? BEGIN) + rest * MINUTE);
          const days = presenceOf(reports).filter(({ last }) => last >= BEGIN);
          const played = playReports(terms, { days, last: reports.at(-1) ?? EPOCH, created: EPOCH, from: BEGIN, now });
          const real = gapsOf(reports, terms, BEGIN, now);
          for (const { from, until, isExact } of played.gaps) {
            const within = real.filter((gap) => gap.from <= from && (gap.until ?? now) >= (until ?? now));
            expect(within).toHaveLength(1);
            if (isExact) expect(within).toEqual([{ from, until }]);
          }
          for (const gap of real) {
            const isListed = played.gaps.some(({ from, until }) => from === gap.from && until === gap.until);
            const isUnknown = played.unknown.some(
              ({ from, until }) => from <= gap.from - terms.every && until >= (gap.until ?? now),
            );
            expect(isListed || isUnknown).toBe(true);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
