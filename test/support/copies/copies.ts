import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { Services } from '#functions/services.ts';
import { newId, type OrganizationId, storedId, timeOfId } from '#shared/base/ids.ts';
import { type Duration, type Micros, micros } from '#shared/base/time.ts';
import { EVIDENCE_FACETS } from '#shared/evidence/rules/series-kinds.ts';
import { settleSeries } from '#shared/series/facets.ts';
import { catalogueKey, readSeriesPartition } from '#shared/series/keys.ts';
import { recordMonth } from '#shared/series/milestones.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import type { Key, PartitionKey } from '#shared/table/items.ts';
import { keyIn } from '#shared/table/keys.ts';
import { type Item, keyText } from '#shared/table/table.ts';
import { testPartition } from '#test/support/ids.ts';
import { binaryAsBase64, putJson } from '../table/fill-table.ts';
import type { Recorder } from '../table/recorder.ts';
import { writtenKeys } from '../table/unit-costs.ts';
import { isSealed, resealed } from './resealed.ts';

/** Fills organizations with copies of what the service wrote for one record, because thousands of requests take too long. */

/** A running stack whose calls are recorded. */
export interface RecordedStack {
  services: Pick<Services, 'clock' | 'table'>;
  recorder: Recorder;
  /** Address of the database. */
  endpoints: { dynamodb: string };
}

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
  { recorder, services: { clock, table } }: RecordedStack,
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
  /** Texts of the original and what the copy has instead. Letters, digits and hyphens; a text of the original must not be a part of any other text. */
  texts?: Record<string, string>;
  /** Returns attributes that the copy of an item has instead, such as its number. The partition key can be one of them. */
  set?: (item: Item) => Partial<Item>;
}

/** An item in the database's own JSON. */
type CopiedItem = Key & { json: string };

/** Ids, and times in microseconds. Those in keys are padded to 17 digits. */
const ID_OR_TIME = '[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{8}|(?<!\\d)\\d{16,17}(?!\\d)';
/** Ids and times that the requests made lie between their start and their end, apart from rounding. */
const ROUNDING = 1_000;

/**
 * Makes copies of an original. The items are turned into the database's JSON once, and the copies are made from this text: to
 * copy the values of each item takes ten times as long.
 */
export class Copier {
  readonly #from: Micros;
  readonly #to: Micros;
  readonly #month: string;
  readonly #items: { item: Item; attributes: Map<string, string> }[];
  readonly #tokens: RegExp;

  /** @param texts the texts that each copy replaces */
  constructor({ items, from, to }: Original, texts: readonly string[]) {
    [this.#from, this.#to] = [from, to];
    this.#month = monthOf(newId(from));
    this.#tokens = new RegExp([...texts, ID_OR_TIME].join('|'), 'g');
    this.#items = items.map((item) => ({ item, attributes: jsonOf(item) }));
  }

  /**
   * Returns the items of a copy. An item whose key would be the same is one that records share, and is left out.
   * @param isSparse leaves out items that have a partition of their own
   */
  copy({ at, texts = {}, set = () => ({}) }: Copy, isSparse = false): CopiedItem[] {
    const shift = at - this.#from;
    const isInside = (at: number) => at >= this.#from - ROUNDING && at <= this.#to + ROUNDING;
    const own = new Map(Object.entries(texts));
    const replaced = (token: string): string => {
      const known = own.get(token);
      if (known !== undefined) return known;
      const isTime = !token.includes('-');
      const time = isTime ? Number(token) : timeOfId(storedId(token));
      const copied = !isInside(time)
        ? token
        : isTime
          ? String(time + shift).padStart(token.length, '0')
          : newId(micros(time + shift));
      own.set(token, copied);
      return copied;
    };
    const text = (value: string) => value.replace(this.#tokens, replaced);
    const copies = this.#items.flatMap(({ item, attributes }) => {
      const sk = text(item.sk);
      const changed = set(item);
      const partition = text(item.pk);
      if (isSparse && partition !== item.pk) return [];
      const pk = changed.pk ?? partitionOf(partition, sk, this.#month);
      if (pk === item.pk && sk === item.sk) return [];
      const ownAttributes = { ...changed, ...keyIn(pk, sk) };
      const kept = [...attributes].filter(([name]) => !(name in ownAttributes)).map(([, json]) => text(json));
      const json = [...jsonOf(ownAttributes).values(), ...kept].join(',');
      return [{ ...keyIn(pk, sk), json: `{${json}}` }];
    });
    const sealed = copies.filter(isSealed);
    const again = resealed(sealed.map(({ json }) => itemOf(json)));
    const made = new Map(again.map((one) => [keyText(one), one]));
    return copies.map((one) => {
      const item = made.get(keyText(one));
      return item ? { ...one, json: `{${[...jsonOf(item).values()].join(',')}}` } : one;
    });
  }
}

/** The attributes of an item in the database's JSON, by name. */
const jsonOf = (item: Item): Map<string, string> =>
  new Map(
    Object.entries(marshall(item, { removeUndefinedValues: true })).map(([name, value]) => [
      name,
      `${JSON.stringify(name)}:${JSON.stringify(value, binaryAsBase64)}`,
    ]),
  );

/** Reads an item in the database's JSON. */
const itemOf = (json: string): Item =>
  unmarshall(
    JSON.parse(json, (name, value) =>
      name === 'B' && typeof value === 'string' ? Uint8Array.from(Buffer.from(value, 'base64')) : value,
    ),
  ) as Item;

/** The month and the shard in a partition key follow from the id in the sort key. */
function partitionOf(pk: string, sk: string, month: string): PartitionKey {
  const [org = '', family, kind = ''] = pk.split('#');
  if (family === 'CATALOGUE') return catalogueKey(storedId<OrganizationId>(org), kind, sk.split('#')[0] ?? '').pk;
  const copied = `#${monthOf(storedId(sk.split('#')[0] ?? ''))}`;
  return testPartition(pk.split('#').includes(month) ? pk.replace(`#${month}`, copied) : pk);
}

const DAY: Duration = 86_400_000_000;
/** Copies are spread over this time. The last one is an hour old, so that entries of series have settled. */
const SPREAD = 60 * DAY;
const SETTLED = DAY / 24;
/** The instant of copy `n` of `count`: later copies are younger. */
export const instantOf = (now: Micros, n: number, count: number): Micros =>
  micros(micros(Math.floor(now - SETTLED - SPREAD + (SPREAD * n) / count)));

const CHUNK = 1_000;

/**
 * Stores items of copies from number `from` up to `to`, without `to`, and then settles their series.
 * @param itemsOf makes the items of one copy
 */
export async function fillCopies(
  stack: RecordedStack,
  org: OrganizationId,
  [from, to]: readonly [number, number],
  itemsOf: (n: number) => readonly CopiedItem[],
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
    await putJson(stack.endpoints.dynamodb, table.name, items, ({ json }) => json);
  }
  for (const [series, ofSeries] of months) {
    for (const month of ofSeries) await recordMonth(table, org, series, month);
    await settleSeries(table, org, EVIDENCE_FACETS, series, clock.now(), new Set());
  }
}
