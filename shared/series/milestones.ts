import { firstIdAt, type Id, type OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { putIfAbsent, type Table, type Write } from '#shared/table/table.ts';
import { seriesMilestoneIdKey, seriesMilestoneKey, seriesMonthsKey } from './keys.ts';
import { MILESTONE_EVERY, readDirectory } from './series.ts';
import {
  entriesIn,
  firstEntries,
  type Milestone,
  milestoneItems,
  milestoneOf,
  milestonesFrom,
  readMonths,
  type SeriesEntry,
} from './series-entries.ts';

/** Entries younger than this may still be overtaken by one with a smaller id: twice the longest write (design §4.2). */
export const SETTLING_MICROS: Micros = 120_000_000;

/** Notes that a series has entries in a month, so that readers look there. Doing it again changes nothing. */
export async function noteMonth(table: Table, org: OrganizationId, series: string, month: string): Promise<void> {
  await table.update(seriesMonthsKey(org, series), {
    UpdateExpression: 'SET #v = :v ADD #months :month',
    ExpressionAttributeNames: { '#v': 'v', '#months': 'months' },
    ExpressionAttributeValues: { ':v': 1, ':month': new Set([month]) },
  });
}

export interface MilestoneOptions {
  /** Entries per milestone. */
  every?: number;
  /** Entries from this id on are not counted yet, settled or not. */
  before?: Id;
  /** Told of the entries that a new milestone covers, before it is written. */
  settled?: (entries: readonly SeriesEntry[]) => Promise<void>;
}

/**
 * Appends the milestones that a series has earned: one per 256 settled entries. Each is put only where none stands and
 * where the one before it still does, so two relays at work make one series of milestones.
 * @returns how many were appended
 */
export async function appendMilestones(
  table: Table,
  org: OrganizationId,
  series: string,
  now: Micros,
  options: MilestoneOptions = {},
): Promise<number> {
  const { every = MILESTONE_EVERY, before } = options;
  const { months, newest } = await readDirectory(table, org, series, now);
  const settling = firstIdAt(now - SETTLING_MICROS);
  const horizon = before !== undefined && before < settling ? before : settling;
  let last = newest;
  for (let appended = 0; ; appended += 1) {
    // One more than covered: the entry after them begins the next stretch.
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
  }
}

const overtaken = () => 'overtaken' as const;

/** A recount takes milestones away: one made after a milestone that is gone would count wrongly. */
const stillThere = (org: OrganizationId, series: string, { total, first }: Milestone): Write<'overtaken'> => ({
  check: seriesMilestoneKey(org, series, total),
  ConditionExpression: '#first = :first',
  ExpressionAttributeNames: { '#first': 'first' },
  ExpressionAttributeValues: { ':first': first },
  refused: overtaken,
});

/** The entries between two milestones, and whether there are as many as the totals say. */
export interface Stretch {
  /** The id that ends the stretch and is not in it. */
  before: Id;
  sound: boolean;
}

/**
 * The counted stretch that an entry lies in; undefined after the last milestone. An entry that appeared behind it makes
 * its stretch unsound; late news of an entry that was counted does not.
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
 * Takes away the milestones after an entry: they are one off when it appeared behind them (design §4.2). They are made
 * again by {@link appendMilestones}. The last goes first, and until none is left: another relay may append meanwhile.
 * @returns how many were taken away
 */
export async function removeMilestones(table: Table, org: OrganizationId, series: string, entry: Id): Promise<number> {
  let removed = 0;
  for (;;) {
    const wrong = await milestonesFrom(table, org, series, entry);
    if (wrong.length === 0) return removed;
    for (const { total, first } of wrong.reverse()) {
      const outcome = await table.transact([
        {
          remove: seriesMilestoneKey(org, series, total),
          ConditionExpression: 'attribute_not_exists(pk) OR #first = :first',
          ExpressionAttributeNames: { '#first': 'first' },
          ExpressionAttributeValues: { ':first': first },
          refused: () => 'changed' as const,
        },
        { remove: seriesMilestoneIdKey(org, series, first) },
      ]);
      if (outcome === 'changed') break;
      removed += 1;
    }
  }
}
