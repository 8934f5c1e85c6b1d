import { BuiltinError } from '../errors.ts';
import { abbreviation, type Civil, daysSinceEpoch, instantOf, weekdayOf } from './calendar.ts';

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
export const WEEKDAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

/** Layouts that have a name. */
const NAMED: Readonly<Record<string, string>> = {
  ANSIC: 'Mon Jan _2 15:04:05 2006',
  UnixDate: 'Mon Jan _2 15:04:05 MST 2006',
  RubyDate: 'Mon Jan 02 15:04:05 -0700 2006',
  RFC822: '02 Jan 06 15:04 MST',
  RFC822Z: '02 Jan 06 15:04 -0700',
  RFC850: 'Monday, 02-Jan-06 15:04:05 MST',
  RFC1123: 'Mon, 02 Jan 2006 15:04:05 MST',
  RFC1123Z: 'Mon, 02 Jan 2006 15:04:05 -0700',
  RFC3339: '2006-01-02T15:04:05Z07:00',
  RFC3339Nano: '2006-01-02T15:04:05.999999999Z07:00',
};

export const RFC3339_NANO = 'RFC3339Nano';

/** The parts of a layout, written as parts of the reference date. Longer parts stand before their beginnings. */
const PART =
  /January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|2006|__2|_2(?!006)|002|01|02|03|04|05|06|15|PM|pm|-07:00:00|-07:00|-0700|-07|Z07:00:00|Z07:00|Z0700|Z07|[.,](?:0+|9+)(?!\d)|1|2|3|4|5/g;

type Piece = { readonly literal: string } | { readonly part: string };

function pieces(layout: string): Piece[] {
  const text = NAMED[layout] ?? layout;
  const found: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(PART)) {
    if (match.index > from) found.push({ literal: text.slice(from, match.index) });
    found.push({ part: match[0] });
    from = match.index + match[0].length;
  }
  if (from < text.length) found.push({ literal: text.slice(from) });
  return found;
}

/** Formats a date by a layout. */
export function writeDate(civil: Civil, layout: string): string {
  return pieces(layout)
    .map((piece) => ('literal' in piece ? piece.literal : writePart(civil, piece.part)))
    .join('');
}

const two = (value: number) => String(Math.floor(value)).padStart(2, '0');

/** What writes each part. Fractions and offsets have more forms than a table can list. */
const WRITERS: Readonly<Record<string, (civil: Civil) => string>> = {
  '2006': (civil) => `${civil.year < 0 ? '-' : ''}${String(Math.abs(civil.year)).padStart(4, '0')}`,
  '06': (civil) => two(((civil.year % 100) + 100) % 100),
  January: (civil) => MONTHS[civil.month - 1] ?? '',
  Jan: (civil) => (MONTHS[civil.month - 1] ?? '').slice(0, 3),
  '01': (civil) => two(civil.month),
  '1': (civil) => String(civil.month),
  Monday: (civil) => WEEKDAYS[weekdayOf(civil)] ?? '',
  Mon: (civil) => (WEEKDAYS[weekdayOf(civil)] ?? '').slice(0, 3),
  '02': (civil) => two(civil.day),
  _2: (civil) => String(civil.day).padStart(2),
  '2': (civil) => String(civil.day),
  '002': (civil) => String(dayOfYear(civil)).padStart(3, '0'),
  __2: (civil) => String(dayOfYear(civil)).padStart(3),
  '15': (civil) => two(civil.hour),
  '03': (civil) => two(civil.hour % 12 || 12),
  '3': (civil) => String(civil.hour % 12 || 12),
  '04': (civil) => two(civil.minute),
  '4': (civil) => String(civil.minute),
  '05': (civil) => two(civil.second),
  '5': (civil) => String(civil.second),
  PM: (civil) => (civil.hour < 12 ? 'AM' : 'PM'),
  pm: (civil) => (civil.hour < 12 ? 'am' : 'pm'),
  MST: abbreviation,
};

function writePart(civil: Civil, part: string): string {
  const write = WRITERS[part];
  if (write !== undefined) return write(civil);
  return /^[.,]/.test(part) ? writeFraction(civil.nanosecond, part) : writeOffset(civil.offset, part);
}

function dayOfYear({ year, month, day }: Civil): number {
  return daysSinceEpoch(year, month, day) - daysSinceEpoch(year, 1, 1) + 1;
}

function writeFraction(nanosecond: number, part: string): string {
  const digits = String(nanosecond)
    .padStart(9, '0')
    .slice(0, part.length - 1);
  if (part[1] === '0') return part[0] + digits.padEnd(part.length - 1, '0');
  const short = digits.replace(/0+$/, '');
  return short === '' ? '' : part[0] + short;
}

function writeOffset(offset: number, part: string): string {
  if (part.startsWith('Z') && offset === 0) return 'Z';
  const size = Math.abs(offset);
  const colon = part.includes(':') ? ':' : '';
  const minutes = part.length > 3 ? colon + two((size % 3600) / 60) : '';
  const seconds = part.length > 7 ? colon + two(size % 60) : '';
  return `${offset < 0 ? '-' : '+'}${two(size / 3600)}${minutes}${seconds}`;
}

/** The pattern that reads each part. A part without a pattern can be written but not read. */
const READERS: Readonly<Record<string, string>> = {
  '2006': '(?<year>\\d{4})',
  '06': '(?<shortYear>\\d{2})',
  January: `(?<monthName>${MONTHS.join('|')})`,
  Jan: `(?<monthName>${MONTHS.map((name) => name.slice(0, 3)).join('|')})`,
  '01': '(?<month>\\d{2})',
  '1': '(?<month>\\d{1,2})',
  Monday: `(?:${WEEKDAYS.join('|')})`,
  Mon: `(?:${WEEKDAYS.map((name) => name.slice(0, 3)).join('|')})`,
  '02': '(?<day>\\d{2})',
  _2: ' ?(?<day>\\d{1,2})',
  '2': '(?<day>\\d{1,2})',
  '15': '(?<hour>\\d{2})',
  '03': '(?<half>\\d{2})',
  '3': '(?<half>\\d{1,2})',
  '04': '(?<minute>\\d{2})',
  '4': '(?<minute>\\d{1,2})',
  '05': '(?<second>\\d{2})',
  '5': '(?<second>\\d{1,2})',
  PM: '(?<noon>AM|PM)',
  pm: '(?<noon>am|pm)',
  MST: '(?<zone>[A-Z]{3,4})',
  '-07:00': '(?<offset>[+-]\\d{2}:\\d{2})',
  '-0700': '(?<offset>[+-]\\d{4})',
  '-07': '(?<offset>[+-]\\d{2})',
  'Z07:00': '(?<offset>Z|[+-]\\d{2}:\\d{2})',
  Z0700: '(?<offset>Z|[+-]\\d{4})',
  Z07: '(?<offset>Z|[+-]\\d{2})',
};

/**
 * Parses a date by a layout.
 * @returns nanoseconds since 1970
 * @throws BuiltinError where the text does not match, or the layout has a part twice or a part that cannot be read
 */
export function readDate(text: string, layout: string): bigint {
  const parts = pieces(layout);
  const seen = new Set<string>();
  let source = '^';
  parts.forEach((piece, index) => {
    if ('literal' in piece) {
      source += piece.literal.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&').replace(/\s+/g, ' +');
      return;
    }
    const reader = /^[.,]/.test(piece.part) ? fractionReader(piece.part) : READERS[piece.part];
    const name = reader === undefined ? undefined : (/\?<(\w+)>/.exec(reader)?.[1] ?? '');
    if (reader === undefined || name === undefined || (name !== '' && seen.has(name))) {
      throw new BuiltinError(`layout part ${piece.part} cannot be read`);
    }
    if (name !== '') seen.add(name);
    source += reader;
    const next = parts[index + 1];
    const fractioned = next !== undefined && 'part' in next && /^[.,]/.test(next.part);
    if (name === 'second' && !fractioned) source += '(?:[.,](?<fraction>\\d+))?';
  });
  const groups = new RegExp(`${source}$`).exec(text)?.groups;
  if (groups === undefined) throw new BuiltinError(`cannot parse ${text.slice(0, 50)} as ${layout.slice(0, 50)}`);
  return assemble(groups);
}

function fractionReader(part: string): string {
  return part[1] === '0' ? `[.,](?<fraction>\\d{${part.length - 1}})` : '(?:[.,](?<fraction>\\d+))?';
}

function assemble(groups: Readonly<Record<string, string | undefined>>): bigint {
  const number = (name: string): number | null => (groups[name] === undefined ? null : Number(groups[name]));
  const short = number('shortYear');
  const year = number('year') ?? (short === null ? 0 : short >= 69 ? 1900 + short : 2000 + short);
  const named =
    groups['monthName'] === undefined ? -1 : MONTHS.findIndex((month) => month.startsWith(groups['monthName'] ?? ''));
  const month = named === -1 ? (number('month') ?? 1) : named + 1;
  const day = number('day') ?? 1;
  const half = number('half');
  if (half !== null && half > 12) throw new BuiltinError('hour out of range');
  const noon = groups['noon']?.toUpperCase();
  const hour =
    half === null ? (number('hour') ?? 0) : noon === 'PM' ? (half % 12) + 12 : noon === 'AM' ? half % 12 : half;
  const minute = number('minute') ?? 0;
  const second = number('second') ?? 0;
  const length = daysSinceEpoch(year, month + 1, 1) - daysSinceEpoch(year, month, 1);
  if (month < 1 || month > 12 || day < 1 || day > length || hour > 23 || minute > 59 || second > 59) {
    throw new BuiltinError('date or time out of range');
  }
  const nanosecond = Number((groups['fraction'] ?? '').slice(0, 9).padEnd(9, '0'));
  return instantOf({ year, month, day, hour, minute, second, nanosecond, offset: offsetOf(groups['offset']) });
}

function offsetOf(text: string | undefined): number {
  if (text === undefined || text === 'Z') return 0;
  const digits = text.replace(/\D/g, '').padEnd(4, '0');
  const size = Number(digits.slice(0, 2)) * 3600 + Number(digits.slice(2)) * 60;
  return text.startsWith('-') ? -size : size;
}
