/**
 * Parameters behind the `?` of a page's address. A page declares them, and gets them parsed: a value that does not fit
 * is treated as absent, because addresses are typed by people.
 */
export type SearchParam<T> = (text: string) => T | undefined;

export type SearchShape = Readonly<Record<string, SearchParam<unknown>>>;
export type SearchOf<S extends SearchShape> = { [K in keyof S]?: S[K] extends SearchParam<infer T> ? T : never };

export const text: SearchParam<string> = (given) => (given === '' || given.length > 2000 ? undefined : given);

export const oneOf =
  <const T extends string>(...values: readonly T[]): SearchParam<T> =>
  (given) =>
    values.find((value) => value === given);

/** The order of a list: one of the names, or `-` and the name for the reverse. */
export const orderOf = <const T extends string>(...names: readonly T[]): SearchParam<T | `-${T}`> =>
  oneOf<T | `-${T}`>(...names, ...names.map((name) => `-${name}` as const));

/**
 * Returns what the service is asked for to have an order. Times begin with the newest, all else with the lowest.
 *
 * @param times the names that are times
 */
export function orderQuery<T extends string>(
  order: T | `-${T}`,
  times: readonly NoInfer<T>[],
): { sort: T; sort_direction: 'asc' | 'desc' } {
  const isReverse = order.startsWith('-');
  // Names of orders are those of parameters, and none of these begins with a hyphen.
  const sort = (isReverse ? order.slice(1) : order) as T;
  return { sort, sort_direction: times.includes(sort) === isReverse ? 'asc' : 'desc' };
}

/** The number of a page, from 1. */
export const pageNumber: SearchParam<number> = (given) => {
  const number = Number(given);
  return /^\d{1,9}$/.test(given) && number >= 1 ? number : undefined;
};

/** A time: seconds since 1970 or an ISO date such as `2026-07-01` or `2026-07-01T12:00:00Z`. Dates are in UTC. */
export const time: SearchParam<number> = (given) => {
  if (/^\d{1,11}(\.\d+)?$/.test(given)) return Number(given);
  const at = /^\d{4}-\d{2}-\d{2}/.test(given) ? Date.parse(given) : Number.NaN;
  return Number.isNaN(at) ? undefined : at / 1000;
};

/** The text of an instant, as the address has it: `2026-07-01` can be read and cited, seconds cannot. */
export const instant: SearchParam<string> = (given) => (time(given) === undefined ? undefined : given);

/** A day in UTC, as the address and date fields write it: `2026-07-01`. */
export const day: SearchParam<string> = (given) =>
  /^\d{4}-\d{2}-\d{2}$/.test(given) && !Number.isNaN(Date.parse(given)) ? given : undefined;

const DAY_SECONDS = 86_400;

/** The begin of the first of the last days up to today, in seconds. It stays the same for a whole day. */
export const firstOfLastDays = (days: number): number =>
  (Math.floor(Date.now() / 1000 / DAY_SECONDS) - days + 1) * DAY_SECONDS;

/** From the first instant of a day to the last one of another, in seconds. Days that are not given leave the side open. */
export function daysPeriod({ from, to }: { from?: string | undefined; to?: string | undefined }): {
  start_ts?: number;
  end_ts?: number;
} {
  return {
    ...(from !== undefined && { start_ts: Date.parse(from) / 1000 }),
    ...(to !== undefined && { end_ts: Date.parse(to) / 1000 + DAY_SECONDS - 0.001 }),
  };
}

/** Parses the parameters that a page declares. Other parameters are left out. */
export function parseSearch<S extends SearchShape>(shape: S, given: Readonly<Record<string, unknown>>): SearchOf<S> {
  const found: Record<string, unknown> = {};
  for (const [name, parse] of Object.entries(shape)) {
    const value = given[name];
    const parsed = typeof value === 'string' || typeof value === 'number' ? parse(String(value)) : undefined;
    if (parsed !== undefined) found[name] = parsed;
  }
  // Each value was made by the parser of its name.
  return found as SearchOf<S>;
}

/** Reads a query string. The last value of a name counts. */
export const searchFromText = (query: string): Record<string, string> => Object.fromEntries(new URLSearchParams(query));

/** Writes a query string with `?`, or nothing. Absent values are left out. */
export function searchToText(search: Readonly<Record<string, unknown>>): string {
  const written = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined && value !== null && value !== '') written.set(name, String(value));
  }
  return written.size === 0 ? '' : `?${written}`;
}
