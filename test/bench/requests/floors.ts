/**
 * The least that a read can cost: the calls and the read units for what its answer shows. A name has to be looked up,
 * because no memory may be believed. What lies in one partition is one Query, with a unit per 4 KB. Records with keys of
 * their own cost a unit each, and 100 of them take one call.
 */
export interface Floor {
  calls: number;
  units: number;
}

/** What the answer of a read shows. */
export interface Shown {
  /** Bytes of the answer as JSON. */
  bytes: number;
  /** Entries of the list; 1 for an answer without a list. */
  rows: number;
}

export interface FloorRule {
  why: string;
  of(shown: Shown): Floor;
}

/** How many times the floor a read may cost, in units. */
export const MOST_OF_FLOOR = 2;
/** How many calls a read may make, whatever it shows. */
export const MOST_CALLS = 8;

const BATCH = 100;
const unitsOf = (bytes: number) => Math.max(1, Math.ceil(bytes / 4_096));

/** A number of records that are known before the request reads anything, or one after another. */
export const records = (count: number, why: string): FloorRule => ({
  why,
  of: ({ bytes }) => ({ calls: count, units: Math.max(count, unitsOf(bytes)) }),
});

/** Everything that is shown lies together. @param lookups records that are read before or beside it */
export const together = (lookups: number, why: string): FloorRule => ({
  why,
  of: ({ bytes }) => ({ calls: lookups + 1, units: lookups + unitsOf(bytes) }),
});

/**
 * A list of records with keys of their own.
 * @param each records of a row
 * @param beside units of what says which rows there are: the entries of the list, names, totals
 */
export const separate = (each: number, beside: number, why: string): FloorRule => ({
  why,
  of: ({ bytes, rows }) => ({
    calls: beside + Math.ceil((rows * each) / BATCH),
    units: beside + Math.max(rows * each, unitsOf(bytes)),
  }),
});

/** @param answer the text of an answer @returns what it shows: the rows of its longest list */
export function shownBy(answer: string): Shown {
  const json = JSON.parse(answer) as unknown;
  const lists = (Array.isArray(json) ? [json] : Object.values(json ?? {})).filter((value) => Array.isArray(value));
  const rows = Math.max(1, ...lists.map((list) => list.length));
  return { bytes: Buffer.byteLength(answer), rows };
}
