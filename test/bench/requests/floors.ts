import * as z from 'zod';

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
  /** The answer itself, for sums of records that it does not list. */
  answer: unknown;
}

export interface FloorRule {
  why: string;
  of(shown: Shown): Floor;
}

/** How many times the floor a read may cost, in units. */
export const MOST_OF_FLOOR = 2;
/** How many calls a read may make, whatever it shows. */
export const MOST_CALLS = 8;

/**
 * Reads whose rule looks at more records than the answer shows: why, and how many (rules/storage.md#cost-of-lists). Their calls
 * are limited as those of the others. The page of the benchmark gives the reason beside their units.
 */
export const LOOKS_AT_MORE: Readonly<Record<string, string>> = {
  'search a name':
    'it compares the file names of the newest 100 reports, which only the reports have, so that an erasure can remove them; and it looks for the name in 100 flows',
  'attestations of an artifact':
    'only the events of its trails name attestations that a later one of the same name replaced: 1 unit per 4 KB of these events',
};

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

const DaysOfTrails = z.object({
  trails: z.object({
    days: z.array(z.object({ compliant: z.int(), incomplete: z.int(), non_compliant: z.int() })),
  }),
});

/** Trails that the answer counts by their present state, which stands in the head of each. @param beside as in {@link separate} */
export const countedTrails = (beside: number, why: string): FloorRule => ({
  why,
  of: ({ answer }) => {
    const { days } = DaysOfTrails.parse(answer).trails;
    const trails = days.reduce((sum, day) => sum + day.compliant + day.incomplete + day.non_compliant, 0);
    return { calls: beside + Math.ceil(trails / BATCH), units: beside + trails };
  },
});

/** @param answer the text of an answer @returns what it shows: the rows of its longest list */
export function shownBy(answer: string): Shown {
  const json = JSON.parse(answer) as unknown;
  const lists = (Array.isArray(json) ? [json] : Object.values(json ?? {})).filter((value) => Array.isArray(value));
  const rows = Math.max(1, ...lists.map((list) => list.length));
  return { bytes: Buffer.byteLength(answer), rows, answer: json };
}
