/** Texts for times. All times of the API are seconds since 1970. */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A length of time with its two largest units: `3 h 2 min`, `12 d`, `40 s`. */
export function duration(seconds: number): string {
  const s = Math.max(0, Math.round(seconds));
  if (s < MINUTE) return `${s} s`;
  if (s < HOUR) return `${Math.floor(s / MINUTE)} min`;
  if (s < DAY) return pair(Math.floor(s / HOUR), 'h', Math.floor((s % HOUR) / MINUTE), 'min');
  if (s < 10 * DAY) return pair(Math.floor(s / DAY), 'd', Math.floor((s % DAY) / HOUR), 'h');
  return `${Math.floor(s / DAY)} d`;
}

const pair = (large: number, largeUnit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;

/** How long ago, or in how long: `3 h ago`, `in 5 min`, `just now`. Only the largest unit. */
export function ago(at: number, now: number): string {
  const distance = Math.abs(now - at);
  if (distance < 5) return 'just now';
  const text = rough(distance);
  return at <= now ? `${text} ago` : `in ${text}`;
}

function rough(seconds: number): string {
  if (seconds < MINUTE) return `${Math.round(seconds)} s`;
  if (seconds < HOUR) return `${Math.round(seconds / MINUTE)} min`;
  if (seconds < 2 * DAY) return `${Math.round(seconds / HOUR)} h`;
  if (seconds < 90 * DAY) return `${Math.round(seconds / DAY)} d`;
  return `${Math.round(seconds / (30 * DAY))} months`;
}

export type Zone = 'local' | 'utc';

const formats = new Map<string, Intl.DateTimeFormat>();

function format(zone: Zone, kind: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${zone} ${kind}`;
  const known = formats.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-GB', {
    ...options,
    hourCycle: 'h23',
    ...(zone === 'utc' && { timeZone: 'UTC' }),
  });
  formats.set(key, made);
  return made;
}

/** `22 Nov 2026, 09:14:07`, with `UTC` behind it in that zone. */
export function fullTime(at: number, zone: Zone): string {
  const text = format(zone, 'full', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).format(at * 1000);
  return zone === 'utc' ? `${text} UTC` : text;
}

/** `22 Nov 2026`, with `UTC` behind it in that zone. */
export function dayText(at: number, zone: Zone): string {
  const text = format(zone, 'day', { day: 'numeric', month: 'short', year: 'numeric' }).format(at * 1000);
  return zone === 'utc' ? `${text} UTC` : text;
}

/** `22 Nov 09:14`, or with the year where it is another year than now. */
export function shortTime(at: number, now: number, zone: Zone): string {
  const isThisYear = new Date(at * 1000).getUTCFullYear() === new Date(now * 1000).getUTCFullYear();
  return format(zone, isThisYear ? 'short' : 'short-year', {
    day: 'numeric',
    month: 'short',
    ...(!isThisYear && { year: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
  })
    .format(at * 1000)
    .replace(',', '');
}

/** `09:14:07`. */
export const clockTime = (at: number, zone: Zone): string =>
  format(zone, 'clock', { hour: '2-digit', minute: '2-digit', second: '2-digit' }).format(at * 1000);

/** A finite number of seconds, whatever the API or a user wrote; null for anything else. */
export const asSeconds = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && Math.abs(value) < 8e12 ? value : null;
