import type { Micros } from '#shared/base/time.ts';

/** Number of days that are counted, today included, in UTC (rules/environments.md#deployment-frequency). */
export const FREQUENCY_DAYS = 28;

const DAY: Micros = 86_400_000_000;

export interface DayCount {
  /** `2026-11-21` */
  date: string;
  /** Beginning of the day. */
  at: Micros;
  count: number;
}

export interface DeploymentFrequency {
  start: Micros;
  end: Micros;
  total: number;
  medianPerDay: number;
  averagePerDay: number;
  /** Oldest first, days without deployments included. */
  days: DayCount[];
}

/** The date of an instant in UTC, `2026-11-21`. */
export const dateOf = (at: Micros): string => new Date(at / 1000).toISOString().slice(0, 10);

/** The beginning of the first counted day. */
export const frequencyStart = (now: Micros): Micros => now - (now % DAY) - (FREQUENCY_DAYS - 1) * DAY;

/**
 * Computes the frequency of deployments over the last 28 days (rules/environments.md#deployment-frequency).
 * @param countOn number of deployments on a date, `2026-11-21`
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
