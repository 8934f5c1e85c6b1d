import { type Duration, type Micros, minus } from '#shared/base/time.ts';

/** Silence of reporters (rules/environments.md#silence). It is worked out when somebody reads, from the last five reports. */

/** A reporter is silent after so many of its usual intervals. */
const INTERVALS_OF_SILENCE = 3;
/** The two middle gaps of four may differ by this factor at most. */
const MOST_VARIATION = 2;
/** Nobody runs a reporter more often. Reports in quicker succession are attempts by hand. */
const SHORTEST_INTERVAL: Duration = 30 * 1_000_000;

/** Times of reports as an environment keeps them; 0 or absent = there was none. */
interface StoredReports {
  r: Micros;
  r1?: Micros | undefined;
  r2?: Micros | undefined;
  r3?: Micros | undefined;
  r4?: Micros | undefined;
}

interface Silence {
  /** The usual time between two reports, in microseconds; null if reports come irregularly, or if there are fewer than five. */
  usual: Duration | null;
  /** Time of the last report if the reporter is silent, else null. */
  since: Micros | null;
}

/**
 * Returns the usual interval of an environment's reports, and whether the last one is older than three of them. The usual
 * interval is the mean of the two middle gaps of the last five reports, so that one pause and one repeated report count
 * for nothing. Reports at the same time are stored in any order; they are sorted here, so no gap is negative.
 *
 * @param now by the clock of the service
 */
export function silenceOf({ r, r1, r2, r3, r4 }: StoredReports, now: Micros): Silence {
  const reports = [r, r1, r2, r3, r4]
    .filter((at): at is Micros => at !== undefined && at > 0)
    .toSorted((a, b) => b - a);
  const usual = usualInterval(reports);
  const [last] = reports;
  if (usual === null || last === undefined) return { usual, since: null };
  return { usual, since: minus(now, INTERVALS_OF_SILENCE * usual) > last ? last : null };
}

/** @param reports times, the newest first */
function usualInterval(reports: readonly Micros[]): Duration | null {
  const [, short, long, fourth] = reports
    .slice(1)
    .map((at, i) => (reports[i] ?? at) - at)
    .toSorted((a, b) => a - b);
  if (short === undefined || long === undefined || fourth === undefined) return null;
  if (short < SHORTEST_INTERVAL || long > MOST_VARIATION * short) return null;
  return Math.round((short + long) / 2);
}
