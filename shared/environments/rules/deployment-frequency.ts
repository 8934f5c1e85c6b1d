import type { Micros } from '#shared/base/time.ts';

/** The days that the frequency of deployments is told of, today among them, in UTC (semantics §16.1). */
export const FREQUENCY_DAYS = 28;

const DAY: Micros = 86_400_000_000;

export interface DayCount {
  /** `2026-11-21` */
  date: string;
  /** The day's beginning. */
  at: Micros;
  count: number;
}

export interface DeploymentFrequency {
  start: Micros;
  end: Micros;
  total: number;
  medianPerDay: number;
  averagePerDay: number;
  /** Oldest first, days without any included. */
  days: DayCount[];
}

/** The date of an instant in UTC, `2026-11-21`. */
export const dateOf = (at: Micros): string => new Date(at / 1000).toISOString().slice(0, 10);

/** The beginning of the first of the days. */
export const frequencyStart = (now: Micros): Micros => now - (now % DAY) - (FREQUENCY_DAYS - 1) * DAY;

/**
 * How often something was deployed over the last four weeks (semantics §16.1).
 * @param countOn how many deployments a date had
 */
export function deploymentFrequency(countOn: (date: string) => number, now: Micros): DeploymentFrequency {
  const start = frequencyStart(now);
  const days = Array.from({ length: FREQUENCY_DAYS }, (_, i): DayCount => {
    const at = start + i * DAY;
    return { date: dateOf(at), at, count: countOn(dateOf(at)) };
  });
  const total = days.reduce((sum, { count }) => sum + count, 0);
  const sorted = days.map(({ count }) => count).sort((a, b) => a - b);
  const [below = 0, above = 0] = sorted.slice(FREQUENCY_DAYS / 2 - 1);
  return { start, end: now, total, medianPerDay: (below + above) / 2, averagePerDay: total / FREQUENCY_DAYS, days };
}
