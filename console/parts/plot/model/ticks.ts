import { utcDay, utcHour, utcMinute, utcMonth, utcYear } from 'd3-time';
import { formatted } from '../../../model/time.ts';

const STEPS = [
  { every: utcMinute.every(5), label: 'minute' },
  { every: utcMinute.every(30), label: 'minute' },
  { every: utcHour.every(3), label: 'minute' },
  { every: utcHour.every(12), label: 'minute' },
  { every: utcDay.every(1), label: 'day' },
  { every: utcDay.every(7), label: 'day' },
  { every: utcMonth.every(1), label: 'month' },
  { every: utcMonth.every(3), label: 'month' },
  { every: utcYear.every(1), label: 'year' },
] as const;

const FORMATS: Record<(typeof STEPS)[number]['label'], Intl.DateTimeFormatOptions> = {
  minute: { hour: '2-digit', minute: '2-digit' },
  day: { day: 'numeric', month: 'short' },
  month: { month: 'short' },
  year: { year: 'numeric' },
};

export interface Tick {
  /** Seconds since 1970. */
  at: number;
  label: string;
}

/** Round times of a period for an axis, at most `most` of them. Axes are in UTC, so that people share what they see. */
export function ticksOf({ from, to }: { from: number; to: number }, most: number): Tick[] {
  const [start, end] = [new Date(from * 1000), new Date(to * 1000)];
  for (const { every, label } of STEPS) {
    const times = every?.range(start, end) ?? [];
    if (times.length > most) continue;
    return times.map((time, n) => ({ at: time.getTime() / 1000, label: labelOf(time, label, n === 0) }));
  }
  return [];
}

/** A time of day says which day it belongs to at the first tick and at midnight, a month its year in the same way. */
function labelOf(time: Date, kind: keyof typeof FORMATS, isFirst: boolean): string {
  const text = (options: Intl.DateTimeFormatOptions) => formatted(time.getTime() / 1000, 'utc', options);
  const isMidnight = time.getTime() % 86_400_000 === 0;
  if (kind === 'minute' && isMidnight) return text(FORMATS.day);
  if (kind === 'minute' && isFirst) return `${text(FORMATS.day)} ${text(FORMATS.minute)}`;
  if (kind === 'month' && (isFirst || time.getUTCMonth() === 0)) return text({ ...FORMATS.month, year: 'numeric' });
  return text(FORMATS[kind]);
}
