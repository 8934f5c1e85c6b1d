import * as z from 'zod';
import { DAY } from '#shared/base/texts/durations.ts';
import { type Duration, type Micros, plus, StoredMicros } from '#shared/base/time.ts';
import { absent, below, either, onlyIf } from '#shared/table/expressions.ts';
import { putIfAbsent, type Table } from '#shared/table/table.ts';
import { minuteOf, missingBetween, UnknownTime } from '../rules/gaps/unknown-time.ts';
import { beatKey, beatList, unknownTimeKey, unknownTimes } from './keys.ts';

/** A beat says that the service swept in a minute (rules/expectations.md#unknown-time). */
const Beat = z.object({ minute: StoredMicros });

/** Beats are kept longer than the longest `every` with the longest `grace`. */
const BEATS_KEPT: Duration = 460 * DAY;
/** At most so many times are read: the newest ones. */
const MOST_UNKNOWN_TIMES = 1_000;

/**
 * Stores the beat of a minute, once. If minutes before it have none, their time is stored first, so that no beat hides it.
 *
 * @returns the minute of the beat before; null if there was none
 */
export async function recordBeat(table: Table, now: Micros): Promise<Micros | null> {
  const before = await readLastBeat(table);
  const minute = minuteOf(now);
  if (before !== null && before >= minute) return before;
  const missing = before === null ? null : missingBetween(before, minute);
  if (missing) {
    // Two sweeps of different minutes can see the same beat: the longer time is right for both.
    await table.write({
      put: { ...unknownTimeKey(missing.from), v: 1, ...missing },
      ...onlyIf(either(absent(), below({ to: missing.to }))),
      refused: () => 'known' as const,
    });
  }
  const ttl = Math.ceil(plus(minute, BEATS_KEPT) / 1e6);
  await table.write(putIfAbsent({ ...beatKey(minute), v: 1, minute, ttl }, () => 'known' as const));
  return before;
}

async function readLastBeat(table: Table): Promise<Micros | null> {
  const [newest] = await table.query({ pk: beatList, newestFirst: true, limit: 1 });
  return newest ? Beat.parse(newest).minute : null;
}

/** Reads the unknown time up to now, also that after the last beat. */
export async function readUnknownTime(table: Table, now: Micros): Promise<UnknownTime[]> {
  const [items, last] = await Promise.all([
    table.query({ pk: unknownTimes, newestFirst: true, limit: MOST_UNKNOWN_TIMES }),
    readLastBeat(table),
  ]);
  const open = last === null ? null : missingBetween(last, now);
  const stored = items.map((item) => UnknownTime.parse(item));
  // Another sweep may have stored the time after the last beat already.
  const isNew = open !== null && !stored.some(({ to }) => to > open.from);
  return isNew ? [open, ...stored] : stored;
}
