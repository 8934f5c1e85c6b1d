import { setTimeout as sleep } from 'node:timers/promises';
import { marshall } from '@aws-sdk/util-dynamodb';
import { LOCAL } from '#infra/local/settings.ts';
import { type Id, newId, type OrganizationId, storedId, timeOfId } from '#shared/base/ids.ts';
import { batchesOf, inParallel } from '#shared/base/parallel.ts';
import type { Micros } from '#shared/base/time.ts';
import { settleSeries } from '#shared/series/facets.ts';
import { catalogueKey, readSeriesPartition } from '#shared/series/keys.ts';
import { noteMonth } from '#shared/series/milestones.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import { instantSequence } from '#shared/table/keys.ts';
import type { Item } from '#shared/table/table.ts';
import { writtenKeys } from '../support/unit-costs.ts';
import type { BenchStack } from './bench-stack.ts';

/** Fills organizations with copies of what the service wrote for one record, because thousands of requests take too long. */

/** The items that requests wrote between two instants, as they are stored after the last request. */
export interface Original {
  items: Item[];
  from: Micros;
  to: Micros;
}

/** Families that hold what all records share, or that an axis of its own fills. */
const SHARED = /^@KEYUSE#|^@NOTIFIED$|#AUDIT#|#ACTIONS$|#SERIESLIST$/;

/**
 * Runs requests and returns the items that they wrote.
 * @param isCopied chooses the items; by default all but those that records share
 */
export async function originalOf(
  { recorder, services: { clock, table } }: BenchStack,
  write: () => Promise<unknown>,
  isCopied: (item: Item) => boolean = ({ pk }) => !SHARED.test(pk),
): Promise<Original> {
  const from = clock.now();
  const { calls } = await recorder.record(async () => void (await write()));
  const keys = calls.flatMap(({ command, input }) => writtenKeys(command, input));
  const items = [...(await table.getMany(keys)).values()].filter(isCopied);
  return { items, from, to: clock.now() };
}

/** What distinguishes a copy from its original. Ids and times of the original are replaced by new ones by themselves. */
export interface Copy {
  at: Micros;
  /** Texts of the original and what the copy has instead. A text of the original must not be a part of any other text. */
  texts?: Record<string, string>;
  /** Changes a copied item, for numbers that distinguish copies. */
  change?: (item: Item) => Item;
}

const ANY_ID = /[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{8}/g;
const INSTANT = /^\d{17}$/;
/** Ids and times that the requests made lie between their start and their end, apart from rounding. */
const ROUNDING = 1_000;

/** Returns the items of a copy. An item whose key would be the same is one that records share, and is left out. */
export function copyOf({ items, from, to }: Original, { at, texts = {}, change = (item) => item }: Copy): Item[] {
  const shift = at - from;
  const isInside = (micros: number) => micros >= from - ROUNDING && micros <= to + ROUNDING;
  const ids = new Map<string, Id>();
  const idOf = (id: string): string => {
    const known = ids.get(id);
    if (known !== undefined) return known;
    const born = timeOfId(storedId(id));
    const own = isInside(born) ? newId(born + shift) : id;
    ids.set(id, own);
    return own;
  };
  const replaced = Object.entries(texts);
  const text = (value: string): string => {
    if (INSTANT.test(value) && isInside(Number(value))) return instantSequence(Number(value) + shift);
    return replaced.reduce((whole, [old, own]) => whole.replaceAll(old, own), value).replaceAll(ANY_ID, idOf);
  };
  const copied = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value);
    if (typeof value === 'number') return isInside(value) ? value + shift : value;
    if (Array.isArray(value)) return value.map(copied);
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array || value instanceof Set) {
      return value;
    }
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [text(key), copied(member)]));
  };
  const key = (value: string) => value.split('#').map(text).join('#');
  const month = monthOf(newId(from));
  return items
    .map((item) => {
      const copy = { ...(copied(item) as Item), sk: key(item.sk) };
      return change({ ...copy, pk: partitionOf(key(item.pk), copy.sk, month) });
    })
    .filter(({ pk, sk }, i) => pk !== items[i]?.pk || sk !== items[i]?.sk);
}

/** The month and the shard in a partition key follow from the id in the sort key. */
function partitionOf(pk: string, sk: string, month: string): string {
  const [org = '', family, kind = ''] = pk.split('#');
  if (family === 'CATALOGUE') return catalogueKey(storedId<OrganizationId>(org), kind, sk.split('#')[0] ?? '').pk;
  return pk.split('#').includes(month) ? pk.replace(`#${month}`, `#${monthOf(storedId(sk.split('#')[0] ?? ''))}`) : pk;
}

const DAY: Micros = 86_400_000_000;
/** Copies are spread over this time. The last one is an hour old, so that entries of series have settled. */
const SPREAD = 60 * DAY;
const SETTLED = DAY / 24;
/** The instant of copy `n` of `count`: later copies are younger. */
export const instantOf = (now: Micros, n: number, count: number): Micros =>
  Math.floor(now - SETTLED - SPREAD + (SPREAD * n) / count);

/** The most items that the database takes in one call. */
const BATCH = 25;
const WIDTH = 4;
const HEADERS = {
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-target': 'DynamoDB_20120810.BatchWriteItem',
  authorization: `AWS4-HMAC-SHA256 Credential=${LOCAL.credentials.accessKeyId}/20260101/${LOCAL.region}/dynamodb/aws4_request, SignedHeaders=host, Signature=0`,
};

/** Puts items with plain HTTP calls, because the SDK takes as much processor time as the database for them. */
async function putItems(stack: BenchStack, items: readonly Item[]): Promise<void> {
  const name = stack.services.table.name;
  await inParallel(batchesOf(items, BATCH), WIDTH, async (batch) => {
    let requests: unknown[] = batch.map((item) => ({
      PutRequest: { Item: marshall(item, { removeUndefinedValues: true }) },
    }));
    while (requests.length > 0) {
      const body = JSON.stringify({ RequestItems: { [name]: requests } }, binaryAsBase64);
      const response = await fetch(stack.database, { method: 'POST', headers: HEADERS, body });
      if (!response.ok) throw new Error(`The database refused a batch: ${await response.text()}`);
      const { UnprocessedItems } = (await response.json()) as { UnprocessedItems?: Record<string, unknown[]> };
      requests = UnprocessedItems?.[name] ?? [];
      if (requests.length > 0) await sleep(50);
    }
  });
}

/** The database expects binary attributes in base64. */
const binaryAsBase64 = (_name: string, value: unknown): unknown =>
  value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;

const CHUNK = 1_000;

/**
 * Stores items of copies from number `from` up to `to`, without `to`, and then settles their series.
 * @param itemsOf makes the items of one copy
 */
export async function fillCopies(
  stack: BenchStack,
  org: OrganizationId,
  [from, to]: readonly [number, number],
  itemsOf: (n: number) => readonly Item[],
): Promise<void> {
  const { table, clock } = stack.services;
  const months = new Map<string, Set<string>>();
  for (let first = from; first < to; first += CHUNK) {
    const numbers = Array.from({ length: Math.min(CHUNK, to - first) }, (_, i) => first + i);
    const items = numbers.flatMap((n) => itemsOf(n));
    for (const { pk } of items) {
      const series = readSeriesPartition(pk);
      if (series) months.set(series.series, (months.get(series.series) ?? new Set()).add(series.month));
    }
    await putItems(stack, items);
  }
  for (const [series, ofSeries] of months) {
    for (const month of ofSeries) await noteMonth(table, org, series, month);
    await settleSeries(table, org, series, clock.now(), new Set());
  }
}
