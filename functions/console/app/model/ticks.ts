import { utcDay, utcHour, utcMinute, utcMonth, utcYear } from 'd3-time';

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
  minute: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
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
    const format = new Intl.DateTimeFormat('en-GB', { ...FORMATS[label], timeZone: 'UTC' });
    return times.map((time) => ({ at: time.getTime() / 1000, label: format.format(time) }));
  }
  return [];
}
