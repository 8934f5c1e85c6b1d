import { BuiltinError } from '../errors.ts';
import { integer } from '../values/decimal.ts';
import { isArray, type Value } from '../values/value.ts';
import { type Civil, civilOf, daysSinceEpoch, inRange, instantOf, weekdayOf } from './calendar.ts';
import { RFC3339_NANO, readDate, WEEKDAYS, writeDate } from './layouts.ts';
import { type Args, countAt, integerAt, shortText, stringAt } from './operands.ts';
import { type Builtin, theme } from './registry.ts';

/** Dates and times of given instants. `time.now_ns` is the instant of the evaluation. */
export const TIME: readonly Builtin[] = theme('time', [
  ['time.now_ns', [], 'number', (_args, run) => integer(run.now)],
  ['time.parse_rfc3339_ns', ['string'], 'number', parseRfc3339],
  [
    'time.parse_ns',
    ['string', 'string'],
    'number',
    (args) => integer(inRange(readDate(shortText(args, 1), shortText(args, 0)))),
  ],
  ['time.parse_duration_ns', ['string'], 'number', parseDuration],
  ['time.date', ['number|array'], 'array', (args) => partsAt(args, DATE)],
  ['time.clock', ['number|array'], 'array', (args) => partsAt(args, CLOCK)],
  ['time.weekday', ['number|array'], 'string', (args) => WEEKDAYS[weekdayOf(civilAt(args, 0))] ?? ''],
  ['time.add_date', ['number', 'number', 'number', 'number'], 'number', addDate],
  ['time.diff', ['number|array', 'number|array'], 'array', difference],
  ['time.format', ['number|array'], 'string', format],
]);

/** Reads an operand that is an instant, or an array of an instant and a time zone. */
function civilAt(args: Args, at: number): Civil {
  const value = args[at];
  if (!isArray(value)) return civilOf(inRange(integerAt(args, at)), '');
  return civilOf(inRange(integerAt(value, 0)), value.length > 1 ? stringAt(value, 1) : '');
}

const DATE = ['year', 'month', 'day'] as const;
const CLOCK = ['hour', 'minute', 'second'] as const;

function partsAt(args: Args, names: typeof DATE | typeof CLOCK): Value {
  const civil = civilAt(args, 0);
  return names.map((name) => civil[name]);
}

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d)$/;

function parseRfc3339(args: Args): Value {
  const text = shortText(args, 0);
  if (!RFC3339.test(text)) throw new BuiltinError(`cannot parse ${text.slice(0, 50)} as RFC 3339`);
  return integer(inRange(readDate(text, 'RFC3339')));
}

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
  d: 86_400_000_000_000n,
  w: 604_800_000_000_000n,
  y: 31_536_000_000_000_000n,
};

/** Reads a duration such as `1h1.5m`. Days, weeks and years have a fixed length. */
function parseDuration(args: Args): Value {
  const text = shortText(args, 0);
  const [, sign, body = ''] = /^([+-]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h|d|w|y))+|0)$/.exec(text) ?? [];
  if (body === '') throw new BuiltinError(`invalid duration ${text.slice(0, 50)}`);
  let sum = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of body.matchAll(/(\d*)\.?(\d*)(ns|us|µs|μs|ms|s|m|h|d|w|y)/g)) {
    const length = UNITS[unit] ?? 0n;
    sum += BigInt(whole === '' ? 0 : whole) * length;
    sum +=
      (BigInt(fraction === '' ? 0 : fraction.slice(0, 30)) * length) / 10n ** BigInt(Math.min(30, fraction.length));
  }
  return integer(inRange(sign === '-' ? -sum : sum));
}

function addDate(args: Args): Value {
  const civil = civilOf(inRange(integerAt(args, 0)), '');
  const [years, months, days] = [countAt(args, 1), countAt(args, 2), countAt(args, 3)];
  const moved = { ...civil, year: civil.year + years, month: civil.month + months, day: civil.day + days };
  return integer(inRange(instantOf(moved)));
}

/** Returns years, months, days, hours, minutes and seconds between two instants, in the time zone of the first. */
function difference(args: Args): Value {
  const left = civilAt(args, 0);
  const right = civilAt(args, 1);
  const [a, b] = [instantOf(left), instantOf(right)];
  const from = civilOf(a > b ? b : a, left.zone);
  const to = civilOf(a > b ? a : b, left.zone);
  const parts = [...DATE, ...CLOCK].map((name) => to[name] - from[name]);
  let [years = 0, months = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts;
  if (seconds < 0) [seconds, minutes] = [seconds + 60, minutes - 1];
  if (minutes < 0) [minutes, hours] = [minutes + 60, hours - 1];
  if (hours < 0) [hours, days] = [hours + 24, days - 1];
  if (days < 0) {
    const length = daysSinceEpoch(from.year, from.month + 1, 1) - daysSinceEpoch(from.year, from.month, 1);
    [days, months] = [days + length, months - 1];
  }
  if (months < 0) [months, years] = [months + 12, years - 1];
  return [years, months, days, hours, minutes, seconds];
}

function format(args: Args): Value {
  const value = args[0];
  const layout = isArray(value) && value.length > 2 ? stringAt(value, 2) : RFC3339_NANO;
  return writeDate(civilAt(args, 0), layout);
}
