import { ID_PATTERN, type Id, newId, type OrganizationId, timeOfId } from '#shared/base/ids.ts';
import { inParallel } from '#shared/base/parallel.ts';
import { type Duration, type Micros, micros } from '#shared/base/time.ts';
import { EVIDENCE_FACETS } from '#shared/evidence/rules/series-kinds.ts';
import { settleSeries } from '#shared/series/facets.ts';
import { readSeriesPartition, seriesPartition } from '#shared/series/keys.ts';
import { recordMonth } from '#shared/series/milestones.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import { keyIn } from '#shared/table/keys.ts';
import { type Item, keyText, type Table } from '#shared/table/table.ts';
import { resealed } from '#test/support/copies/resealed.ts';
import { testPartition } from '#test/support/ids.ts';
import type { Recording } from '#test/support/table/recorder.ts';

/** Fills an organization with copies of a trail that the service wrote. */

/** The items that the service wrote for one trail, between two instants. */
export interface Sample {
  items: Item[];
  name: string;
  from: Micros;
  to: Micros;
}

/** Makes a sample from the recorded calls of a trail. @throws Error if the calls did more than put items */
export function sampleOf(recordings: readonly Recording[], name: string, from: Micros, to: Micros): Sample {
  const items = new Map<string, Item>();
  for (const { command, input } of recordings.flatMap(({ calls }) => calls)) {
    if (!command.startsWith('TransactWrite')) continue;
    for (const { Put, Update, Delete } of input['TransactItems'] as Record<string, { Item: Item } | undefined>[]) {
      if (Update ?? Delete) throw new Error('The sample contains other writes than puts');
      if (Put) items.set(keyText(Put.Item), Put.Item);
    }
  }
  return { items: [...items.values()], name, from, to };
}

/** Every tenth trail has evidence. The others were only begun. */
const WITH_EVIDENCE = 10;
export const hasEvidence = (n: number): boolean => n % WITH_EVIDENCE === 0;

/** The name of a trail with evidence among `trails` trails. Different n give different trails. */
export const filledTrail = (n: number, trails: number): string =>
  trailName(((n * 7919) % Math.floor(trails / WITH_EVIDENCE)) * WITH_EVIDENCE);

export const trailName = (n: number): string => `trail-${String(n).padStart(6, '0')}`;

/** Copies the sample's items for another trail and time. The copies have other ids, names and times. */
function copyItems({ items, name, from, to }: Sample, n: number, at: Micros): Item[] {
  const ids = new Map<string, Id>();
  const shift = at - from;
  const isInSample = (micros: number) => micros >= from - 1_000 && micros <= to + 1_000;
  const idOf = (id: Id) => {
    if (!isInSample(timeOfId(id))) return id;
    const fresh = ids.get(id) ?? newId(micros(timeOfId(id) + shift));
    ids.set(id, fresh);
    return fresh;
  };
  const text = (value: string) => (ID_PATTERN.test(value) ? idOf(value) : value.replaceAll(name, trailName(n)));
  const copyValue = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value);
    if (typeof value === 'number') return isInSample(value) ? value + shift : value;
    if (Array.isArray(value)) return value.map(copyValue);
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array || value instanceof Set)
      return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [text(key), copyValue(member)]));
  };
  const copies = items.map((item) => {
    const copy = copyValue(item) as Item;
    const series = readSeriesPartition(item.pk);
    const pk = series
      ? seriesPartition(series.org, series.series, monthOf(copy.sk))
      : testPartition(item.pk.split('#').map(text).join('#'));
    return { ...copy, ...keyIn(pk, item.sk.split('#').map(text).join('#')) };
  });
  return resealed(copies);
}

const DAY: Duration = 86_400_000_000;
/** The trails are spread over this time. The last one is an hour old, so that its series entries are settled. */
const SPREAD = 60 * DAY;
const SETTLED = DAY / 24;
const WRITERS = 8;
const CHUNK = 500;

export interface Fill {
  table: Table;
  org: OrganizationId;
  /** Returns the sample that the n-th trail is copied from. */
  sampleOf: (n: number) => Sample;
  count: number;
  now: Micros;
  /** Called after each chunk with the number of trails that are stored. */
  progress?: (done: number) => void;
}

/** Puts `count` trails with the names {@link trailName} from 0, and then settles their series. */
export async function fillTrails({ table, org, sampleOf: sample, count, now, progress }: Fill): Promise<void> {
  const months = new Map<string, Set<string>>();
  const addMonth = (item: Item) => {
    const series = readSeriesPartition(item.pk);
    if (!series) return;
    months.set(series.series, (months.get(series.series) ?? new Set()).add(series.month));
  };
  const at = (n: number) => Math.floor(now - SETTLED - SPREAD + (SPREAD * n) / count);
  let done = 0;
  const chunks = Array.from({ length: Math.ceil(count / CHUNK) }, (_, i) => i * CHUNK);
  await inParallel(chunks, WRITERS, async (first) => {
    const length = Math.min(CHUNK, count - first);
    const items = Array.from({ length }, (_, i) =>
      copyItems(sample(first + i), first + i, micros(at(first + i))),
    ).flat();
    for (const item of items) addMonth(item);
    await table.putMany(items);
    done += length;
    progress?.(done);
  });
  for (const [series, monthsOfSeries] of months) {
    for (const month of monthsOfSeries) await recordMonth(table, org, series, month);
    await settleSeries(table, org, EVIDENCE_FACETS, series, now, new Set());
  }
}
