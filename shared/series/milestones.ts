import { firstIdAt, type Id, type OrganizationId } from '#shared/base/ids.ts';
import { type Duration, type Micros, minus } from '#shared/base/time.ts';
import { absent, change, either, equal, onlyIf } from '#shared/table/expressions.ts';
import { putIfAbsent, type Table, type Write } from '#shared/table/table.ts';
import { seriesMilestoneIdKey, seriesMilestoneKey, seriesMonthsKey } from './keys.ts';
import { MILESTONE_EVERY } from './series.ts';
import {
  entriesIn,
  firstEntries,
  type Milestone,
  milestoneItems,
  milestoneOf,
  milestonesFrom,
  readDirectory,
  readMonths,
  type SeriesEntry,
} from './series-entries.ts';

/**
 * Entries younger than this can still be preceded by a new entry with a smaller id. It is twice the time of the longest
 * write (rules/lists.md#settling).
 */
export const SETTLING_MICROS: Duration = 120_000_000;

/** Records that a series has entries in a month, so that readers look there. Repeating it changes nothing. */
export async function recordMonth(table: Table, org: OrganizationId, series: string, month: string): Promise<void> {
  await table.update(seriesMonthsKey(org, series), change({ set: { v: 1 }, add: { months: new Set([month]) } }));
}

interface MilestoneOptions {
  /** Entries per milestone. */
  every?: number;
  /** Entries from this id on are not counted. */
  before?: Id;
  /** Called after each milestone. If it returns false, the call ends, and a later call continues. */
  isTime?: () => boolean;
  /** Called with the entries of a new milestone before it is written. */
  settled?: (entries: readonly SeriesEntry[]) => Promise<void>;
}

/**
 * Appends the complete milestones of a series: one per 64 settled entries (rules/lists.md#milestones). Each is put
 * only if it does not exist and the previous one still exists, so two relays at the same time produce one sequence.
 * @returns how many were appended
 */
export async function appendMilestones(
  table: Table,
  org: OrganizationId,
  series: string,
  now: Micros,
  options: MilestoneOptions = {},
): Promise<number> {
  const { every = MILESTONE_EVERY, before, isTime = always } = options;
  const { months, newest } = await readDirectory(table, org, series, now);
  const settling = firstIdAt(minus(now, SETTLING_MICROS));
  const horizon = before !== undefined && before < settling ? before : settling;
  let last = newest;
  let appended = 0;
  do {
    // One entry more than the milestone covers: it starts the next stretch.
    const entries = await firstEntries(table, org, series, months, last?.first, every + 1);
    const next = entries[every];
    if (!next || next.id >= horizon) return appended;
    await options.settled?.(entries.slice(0, every));
    const milestone = { total: (last?.total ?? 0) + every, first: next.id };
    const outcome = await table.transact([
      ...milestoneItems(org, series, milestone).map((item) => putIfAbsent(item, overtaken)),
      ...(last ? [stillThere(org, series, last)] : []),
    ]);
    if (outcome === 'overtaken') return appended;
    last = milestone;
    appended += 1;
  } while (isTime());
  return appended;
}

/** For work without a limit of time. */
export const always = (): boolean => true;

const overtaken = () => 'overtaken' as const;

/** A recount removes milestones. A milestone after a removed one would have a wrong total. */
const stillThere = (org: OrganizationId, series: string, { total, first }: Milestone): Write<'overtaken'> => ({
  check: seriesMilestoneKey(org, series, total),
  ...onlyIf(equal({ first })),
  refused: overtaken,
});

/** The entries between two milestones, and whether their number equals the difference of the totals. */
interface Stretch {
  /** The first id after the stretch. */
  before: Id;
  sound: boolean;
}

/**
 * Returns the counted stretch around an entry; undefined after the last milestone. An entry that appeared late makes
 * its stretch wrong; a late event about a counted entry does not.
 */
export async function stretchAround(
  table: Table,
  org: OrganizationId,
  series: string,
  entry: Id,
  now: Micros,
): Promise<Stretch | undefined> {
  const [start, later, months] = await Promise.all([
    milestoneOf(table, org, series, entry),
    milestonesFrom(table, org, series, entry, 2),
    readMonths(table, org, series, now),
  ]);
  const end = later.find(({ first }) => first > entry);
  if (!end) return undefined;
  const entries = await entriesIn(table, org, series, months, { from: start?.first, before: end.first });
  return { before: end.first, sound: entries.length === end.total - (start?.total ?? 0) };
}

/**
 * Removes the milestones after an entry that appeared late, because their totals are one too low
 * (rules/lists.md#late-entries). {@link appendMilestones} makes them again. The last one is removed first, until none
 * is left, because another relay may append at the same time.
 * @param isTime called after each milestone. If it returns false, the call ends; the first milestone after the entry would
 *   have been removed last
 * @returns false if the time was over
 */
export async function removeMilestones(
  table: Table,
  org: OrganizationId,
  series: string,
  entry: Id,
  isTime: () => boolean,
): Promise<boolean> {
  for (;;) {
    const wrong = await milestonesFrom(table, org, series, entry);
    if (wrong.length === 0) return true;
    for (const { total, first } of wrong.reverse()) {
      const outcome = await table.transact([
        {
          remove: seriesMilestoneKey(org, series, total),
          ...onlyIf(either(absent(), equal({ first }))),
          refused: () => 'changed' as const,
        },
        { remove: seriesMilestoneIdKey(org, series, first) },
      ]);
      if (!isTime()) return false;
      if (outcome === 'changed') break;
    }
  }
}
