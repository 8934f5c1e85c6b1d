import { type Duration, type Micros, plus } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Table } from '#shared/table/table.ts';
import { readSignatureLine } from '../records/signature-line.ts';
import { secondsToWait } from '../rules/signature-line.ts';

/** How long a checkpoint takes at least that does not wait in the line for signatures, in seconds. */
const SOON = 2;
/** For this time a process trusts what it read, because many callers can wait at the same time. */
const TRUSTED: Duration = 1_000_000;

const known = new WeakMap<Table, { until: Micros; seconds: Promise<number> }>();

/** Returns after how many seconds a caller asks again for what no checkpoint covers yet (rules/log.md#receipts-that-are-not-ready). */
export async function secondsUntilCovered({ table, clock }: Pick<Stores, 'table' | 'clock'>): Promise<number> {
  const now = clock.now();
  const last = known.get(table);
  if (last && now < last.until) return last.seconds;
  const seconds = readSignatureLine(table).then((line) => SOON + secondsToWait(line, now));
  known.set(table, { until: plus(now, TRUSTED), seconds });
  // A failure is not trusted.
  seconds.catch(() => known.delete(table));
  return seconds;
}
