import { BuiltinError } from '../errors.ts';
import { refusing } from './operands.ts';

/** A date with a time of day in some time zone. */
export interface Civil {
  readonly year: number;
  /** January is 1. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly nanosecond: number;
  /** Seconds east of Greenwich. */
  readonly offset: number;
  /** IANA name of the zone. Empty when only the offset is known. */
  readonly zone: string;
}

const SECOND = 1_000_000_000n;
const DAY = 86_400;

/** Returns the days since 1970-01-01. Month and day may be outside their usual range. */
export function daysSinceEpoch(year: number, month: number, day: number): number {
  const years = year + Math.floor((month - 1) / 12);
  const within = (((month - 1) % 12) + 12) % 12;
  const shifted = within < 2 ? years - 1 : years;
  const era = Math.floor(shifted / 400);
  const ofEra = shifted - era * 400;
  const ofYear = Math.floor((153 * ((within + 10) % 12) + 2) / 5) + day - 1;
  return era * 146_097 + ofEra * 365 + Math.floor(ofEra / 4) - Math.floor(ofEra / 100) + ofYear - 719_468;
}

/** Returns the instant of a date in nanoseconds since 1970. */
export function instantOf(civil: Omit<Civil, 'zone'>): bigint {
  const days = daysSinceEpoch(civil.year, civil.month, civil.day);
  const seconds = days * DAY + civil.hour * 3600 + civil.minute * 60 + civil.second - civil.offset;
  return BigInt(seconds) * SECOND + BigInt(civil.nanosecond);
}

/** @throws BuiltinError when the instant does not fit into 64 bits, which is the range of OPA */
export function inRange(ns: bigint): bigint {
  if (BigInt.asIntN(64, ns) !== ns) throw new BuiltinError('timestamp too big');
  return ns;
}

/** Returns the date of an instant in a time zone. `''`, `UTC` and `Local` mean UTC. */
export function civilOf(ns: bigint, zone: string): Civil {
  const seconds = Number(ns >= 0n ? ns / SECOND : (ns - SECOND + 1n) / SECOND);
  const offset = offsetAt(seconds, zone);
  const local = seconds + offset;
  const days = Math.floor(local / DAY);
  const rest = local - days * DAY;
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const ofEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (ofEra - Math.floor(ofEra / 1460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) / 365,
  );
  const ofYear = ofEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const part = Math.floor((5 * ofYear + 2) / 153);
  const month = part < 10 ? part + 3 : part - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: ofYear - Math.floor((153 * part + 2) / 5) + 1,
    hour: Math.floor(rest / 3600),
    minute: Math.floor(rest / 60) % 60,
    second: rest % 60,
    nanosecond: Number(ns - BigInt(seconds) * SECOND),
    offset,
    zone,
  };
}

/** Returns the day of the week. Sunday is 0. */
export function weekdayOf({ year, month, day }: Pick<Civil, 'year' | 'month' | 'day'>): number {
  return (((daysSinceEpoch(year, month, day) + 4) % 7) + 7) % 7;
}

function isUniversal(zone: string): boolean {
  return zone === '' || zone === 'UTC' || zone === 'Local';
}

/** Returns the short name of a zone at an instant. Not every zone has one in the tables of the runtime. */
export function abbreviation(civil: Civil): string {
  if (isUniversal(civil.zone)) return 'UTC';
  const parts = formatter(civil.zone, 'short').formatToParts(Number(instantOf(civil) / 1_000_000n));
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  if (/^[A-Z]{3,5}$/.test(name)) return name;
  throw new BuiltinError(`the short name of zone ${civil.zone} is not known`);
}

function offsetAt(seconds: number, zone: string): number {
  if (isUniversal(zone)) return 0;
  const parts = formatter(zone, 'longOffset').formatToParts(seconds * 1000);
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = '0', minutes = '0', rest = '0'] = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(name) ?? [];
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(rest);
  return sign === '-' ? -size : size;
}

function formatter(zone: string, timeZoneName: 'short' | 'longOffset'): Intl.DateTimeFormat {
  const make = () => new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName });
  return refusing(RangeError, `unknown time zone ${zone.slice(0, 50)}`, make);
}
