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

/** Writes an instant in one form everywhere: day, month of three letters, year. @param at seconds since 1970 */
export function formatted(at: number, zone: Zone, options: Intl.DateTimeFormatOptions): string {
  const key = `${zone} ${JSON.stringify(options)}`;
  const known = formats.get(key) ?? newFormat(zone, options);
  formats.set(key, known);
  // Browsers differ in the name of this month.
  return known.format(at * 1000).replace('Sept', 'Sep');
}

const newFormat = (zone: Zone, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-GB', { ...options, hourCycle: 'h23', ...(zone === 'utc' && { timeZone: 'UTC' }) });

const DATE = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const MINUTES = { hour: '2-digit', minute: '2-digit' } as const;

/** `1 Jul 2026`, in UTC. */
export const utcDay = (at: number): string => formatted(at, 'utc', DATE);

/** The day of an ISO date such as `2026-07-01`, in the form of all dates. */
export const dateText = (date: string | undefined): string =>
  date === undefined ? '' : utcDay(Date.parse(`${date}T00:00:00Z`) / 1000);

/** `22 Nov 2026, 09:14:07`, with `UTC` behind it in that zone. */
export function fullTime(at: number, zone: Zone): string {
  const text = formatted(at, zone, { ...DATE, ...MINUTES, second: '2-digit' });
  return zone === 'utc' ? `${text} UTC` : text;
}

/** `22 Nov 2026`, with `UTC` behind it in that zone. */
export const dayText = (at: number, zone: Zone): string =>
  zone === 'utc' ? `${utcDay(at)} UTC` : formatted(at, zone, DATE);

/** `22 Nov 09:14`, or with the year where it is another year than now. */
export function shortTime(at: number, now: number, zone: Zone): string {
  const isThisYear = new Date(at * 1000).getUTCFullYear() === new Date(now * 1000).getUTCFullYear();
  const { year, ...date } = DATE;
  return formatted(at, zone, { ...date, ...(!isThisYear && { year }), ...MINUTES }).replace(',', '');
}

/** `09:14:07`. */
export const clockTime = (at: number, zone: Zone): string => formatted(at, zone, { ...MINUTES, second: '2-digit' });

/** A finite number of seconds, whatever the API or a user wrote; null for anything else. */
export const asSeconds = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && Math.abs(value) < 8e12 ? value : null;
