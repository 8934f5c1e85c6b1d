import { createHash } from 'node:crypto';
import * as z from 'zod';
import { errorFacts } from '#shared/base/error-facts.ts';
import { type Clock, type Duration, type Micros, plus, StoredMicros } from '#shared/base/time.ts';
import { cutText } from '#shared/base/well-formed.ts';
import { storedKey } from '#shared/table/keys.ts';
import { type Item, type Key, keyText, putIfAbsent, type Table } from '#shared/table/table.ts';
import { setAsideKey, setAsideList } from './keys.ts';

/**
 * Items whose stream records the relay could not handle (`rules/storage.md#failed-records`). Only the item's key is
 * stored: effects derive from the item as it is, and an item that was removed has none.
 */

const SetAsideItem = z.object({
  sk: z.string(),
  item: z.object({ pk: z.string(), sk: z.string() }).transform(({ pk, sk }) => storedKey(pk, sk)),
  at: StoredMicros,
  due: StoredMicros,
  attempts: z.number(),
  error: z.string(),
});
export type SetAside = z.infer<typeof SetAsideItem>;

/** The first wait before another attempt. Each further wait is twice as long. */
const FIRST_WAIT: Duration = 300_000_000;
const LONGEST_WAIT: Duration = 6 * 3600 * 1_000_000;
/** A text of an error is cut to this length. */
const LONGEST_ERROR = 500;

const keyOf = (item: Key): Key => setAsideKey(createHash('sha256').update(keyText(item)).digest('hex'));

/** What is needed to set records aside. */
export interface AsideContext {
  services: { table: Table; clock: Clock };
  log: (message: string, facts: Record<string, unknown>) => void;
}

/**
 * Stores the key of an item whose record cannot be handled, so that a sweep tries the item again, and raises an alarm. Does
 * not change an item that is set aside already.
 * @param key undefined if the record does not name its item; then the log line is the only trace
 * @param event id of the record, if a record of the stream brought the item
 */
export async function setItemAside(
  { services: { table, clock }, log }: AsideContext,
  key: Key | undefined,
  event: string | null,
  error: unknown,
): Promise<void> {
  if (key) await storeAside(table, key, error, clock.now());
  log('A record of the stream could not be handled and was set aside', { event, ...key, ...errorFacts(error) });
}

async function storeAside(table: Table, { pk, sk }: Key, error: unknown, now: Micros): Promise<void> {
  const aside: Item & SetAside = {
    ...keyOf({ pk, sk }),
    item: { pk, sk },
    at: now,
    due: plus(now, FIRST_WAIT),
    attempts: 0,
    error: cutText(String(error), LONGEST_ERROR),
  };
  await table.write(putIfAbsent({ ...aside, v: 1 }, () => 'known' as const));
}

/** Reads at most `limit` items that are set aside, after the sort key `after`. */
export async function readSetAside(table: Table, after: string, limit: number): Promise<SetAside[]> {
  const items = await table.query({ pk: setAsideList, ...(after !== '' && { from: after }), limit: limit + 1 });
  return items
    .filter(({ sk }) => sk > after)
    .slice(0, limit)
    .map((item) => SetAsideItem.parse(item));
}

/**
 * Counts an attempt and stores when the next one is due. Called before the attempt, so that a record that ends the
 * process is not tried without pause.
 * @returns false if another sweep counted the same attempt
 */
export const countAttempt = (table: Table, { sk, attempts }: SetAside, now: Micros): Promise<boolean> =>
  table.update(setAsideKey(sk), {
    UpdateExpression: 'SET attempts = :next, due = :due',
    ConditionExpression: 'attempts = :attempts',
    ExpressionAttributeValues: {
      ':attempts': attempts,
      ':next': attempts + 1,
      ':due': now + Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** (attempts + 1)),
    },
  });

/** Reads the item as it is now; undefined if it was removed. */
export const readItemSetAside = (table: Table, { item }: SetAside): Promise<Item | undefined> => table.get(item);

/** Removes an item from the list, after its effects were applied. */
export async function removeSetAside(table: Table, { sk }: SetAside): Promise<void> {
  await table.write({ remove: setAsideKey(sk) });
}
