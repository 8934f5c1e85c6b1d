import type { EnvironmentId, OrganizationId } from '#shared/base/ids.ts';
import { coverOf } from '#shared/base/proofs/covered-lines.ts';
import { again } from '#shared/base/retry.ts';
import { type Micros, minus, toSeconds } from '#shared/base/time.ts';
import { lineOf } from '#shared/bodies/covered-lines.ts';
import { auditWrite, OPERATOR } from '#shared/organizations/records/audit.ts';
import { catalogueKey } from '#shared/series/keys.ts';
import {
  above,
  absent,
  below,
  type Changes,
  change,
  equal,
  exists,
  onlyIf,
  type Term,
  unchanged,
} from '#shared/table/expressions.ts';
import { type ConditionalUpdate, type Item, putIfAbsent, type Write } from '#shared/table/table.ts';
import {
  arrivalAfter,
  CountingEntry,
  countedDay,
  counterOf,
  dayNumber,
  emptyDay,
  firstOfDay,
  isFirstOfDay,
  reportsOf,
  silenceUntil,
} from '../rules/reports/presence-day.ts';
import { ENVIRONMENTS } from '../rules/series-kinds.ts';
import { type EnvironmentEntry, SHOWN_DAY } from './environment-records.ts';
import { presenceKey } from './keys.ts';

/** Writes that count reports in the entry of an environment (rules/environments.md#count-of-reports). */

/** A report moves the times of the reports before it by one place. All copies take what stood there before the update. */
const EARLIER_REPORTS = { r1: 'r', r2: 'r1', r3: 'r2', r4: 'r3' };

/** The report has to be written again, with this entry: it begins a day, or it ends the longest silence of the day. */
export interface Uncounted {
  seen: Item;
}

/** What a report changes of the entry besides the times of reports and their count. */
export type EntryOfReport = Partial<Pick<EnvironmentEntry, 'c' | 's' | 'f'>>;

interface Reported {
  org: OrganizationId;
  environment: EnvironmentId;
  changes: EntryOfReport;
  now: Micros;
}

/** The update of the entry, and the writes that go with it in one transaction. */
interface ReportWrites {
  entry: ConditionalUpdate<Uncounted | 'again'>;
  others: readonly Write[];
}

/**
 * The writes of a report. Without `seen` this is the one update that does for nearly all reports. It states what it takes for
 * granted of the entry. If that is wrong, its refusal returns the entry, and the writes are made again with it. An entry that is
 * missing means `again`: the environment was archived.
 */
export function reportWrites({ org, environment, changes, now }: Reported, seen?: Item): ReportWrites {
  const entry = seen && CountingEntry.parse(seen);
  const at = entry ? arrivalAfter(entry, now) : now;
  const isFirst = entry !== undefined && isFirstOfDay(entry, at);
  const update = (more: Changes, conditions: readonly [Term, ...Term[]]): ReportWrites['entry'] => ({
    update: catalogueKey(org, ENVIRONMENTS.name, environment),
    ...change({ ...more, set: { r: at, ...changes, ...more.set }, copy: EARLIER_REPORTS }, ...conditions),
    refused: (old) => (old ? { seen: old } : 'again'),
  });
  if (isFirst) {
    return {
      entry: update({ set: firstOfDay(entry, at) }, unchangedCount(entry)),
      others: closingWrites(org, environment, entry, at),
    };
  }
  const counted = [counterOf(at), 1] as const;
  if (entry && at > (entry.t ?? 0)) {
    const longest = { set: silenceUntil(entry, at), sum: { [counterOf(at)]: counted } };
    return { entry: update(longest, unchangedCount(entry)), others: [] };
  }
  // The longest silence stays, so the next report may come that much later without ending a longer one.
  const usual = { sum: { [counterOf(at)]: counted, t: ['g', at] } as const };
  const known = [equal({ d: dayNumber(at) }), below({ r: at }), above({ t: minus(at, 1) })] as const;
  return { entry: update(usual, [exists(), ...known]), others: [] };
}

/**
 * The writes that close the counted day of an entry of which nobody writes, and begin one without reports. Nothing is to be
 * written if the day is not over or nothing was reported in it.
 *
 * @param refused the outcome if a report or another sweep was first
 */
export function closedDayWrites<R>(
  org: OrganizationId,
  environment: EnvironmentId,
  item: Item,
  { now, refused }: { now: Micros; refused: () => R },
): Write<R>[] {
  const entry = CountingEntry.parse(item);
  const closing = dayNumber(now) > (entry.d ?? 0) ? closingWrites(org, environment, entry, now) : [];
  if (closing.length === 0) return [];
  return [
    {
      update: catalogueKey(org, ENVIRONMENTS.name, environment),
      ...change({ set: emptyDay(entry, now) }, ...unchangedCount(entry)),
      refused,
    },
    ...closing,
  ];
}

/** The writes that remove the entry of an environment that is archived. They close the day that it counts, which may not be over. */
export function removedEntryWrites(
  org: OrganizationId,
  environment: EnvironmentId,
  item: Item,
  at: Micros,
): Write<'again'>[] {
  const entry = CountingEntry.parse(item);
  const remove = catalogueKey(org, ENVIRONMENTS.name, environment);
  return [
    { remove, ...onlyIf(...unchangedCount(entry)), refused: again },
    ...closingWrites(org, environment, entry, at),
  ];
}

/** The condition that no report was counted since the entry was read. */
const unchangedCount = (entry: CountingEntry): readonly [Term, ...Term[]] =>
  entry.d === undefined ? [unchanged(entry, 'r'), absent('d')] : [unchanged(entry, 'r', 'd', 'h')];

/**
 * The record of the counted day of an entry, and the entry of the audit log that covers it. They belong into a transaction that
 * ends the count on condition that nothing was counted meanwhile, so a day gets one record.
 */
function closingWrites(org: OrganizationId, environment: EnvironmentId, entry: CountingEntry, at: Micros): Write[] {
  const counted = countedDay(entry);
  if (!counted) return [];
  const { date, day } = counted;
  const cover = coverOf('presence/day', undefined, lineOf(SHOWN_DAY, day, { environment, date }));
  return [
    putIfAbsent({ ...presenceKey(org, environment, date), v: 1, ...day }),
    auditWrite(
      org,
      { at, actor: OPERATOR },
      {
        kind: 'environment.day_closed',
        subject: { type: 'environment', id: environment, name: entry.n },
        after: { date, reports: reportsOf(day), first: toSeconds(day.first), last: toSeconds(day.last) },
        covers: [cover],
      },
    ),
  ];
}
