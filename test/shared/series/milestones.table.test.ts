import { beforeAll, describe, expect, test } from 'vitest';
import { newId, type OrganizationId } from '#shared/base/ids.ts';
import { fromMillis, plus } from '#shared/base/time.ts';
import { EVIDENCE_FACETS } from '#shared/evidence/rules/series-kinds.ts';
import { recountFrom, settleSeries } from '#shared/series/facets.ts';
import { dueSeriesList } from '#shared/series/keys.ts';
import { appendMilestones, recordMonth, SETTLING_MICROS, stretchAround } from '#shared/series/milestones.ts';
import { seriesPage } from '#shared/series/series.ts';
import { milestonesBetween, milestonesFrom, readMonths } from '#shared/series/series-entries.ts';
import type { Table } from '#shared/table/table.ts';
import { entriesAt, entryItem, fillSeries } from '#test/support/table/entries.ts';
import { testTable } from '#test/support/table.ts';

const SECOND = 1_000_000;
const START = fromMillis(Date.UTC(2026, 5, 15, 12));
const every = 4;
const FIRST_ID = '00000000-0000-0000-0000-00000000';

let table: Table;
beforeAll(async () => {
  table = await testTable();
});

let organizations = 0;
/** A series of 20 entries, a second apart, all settled at `now`: it has earned four milestones. */
async function aSeries() {
  organizations += 1;
  const org = newId<OrganizationId>(plus(START, organizations));
  const entries = entriesAt(Array.from({ length: 20 }, (_, i) => START + i * SECOND));
  await fillSeries(table, org, 's', entries);
  const now = plus(START, 20 * SECOND + SETTLING_MICROS);
  const milestones = async () =>
    (await milestonesBetween(table, org, 's', 0, 1_000)).map(({ total, first }) => [total, first]);
  const earned = [4, 8, 12, 16].map((total) => [total, entries[total]?.id]);
  return { org, entries, now, milestones, earned };
}

describe('milestones', () => {
  test('come one per stretch of settled entries, and a second time none', async () => {
    const { org, now, milestones, earned } = await aSeries();
    expect(await appendMilestones(table, org, 's', now, { every })).toBe(4);
    expect(await appendMilestones(table, org, 's', now, { every })).toBe(0);
    expect(await milestones()).toEqual(earned);
    const byId = await milestonesFrom(table, org, 's', FIRST_ID);
    expect(byId.map(({ total, first }) => [total, first])).toEqual(earned);
  });

  test('cover no entry that is younger than the settling time', async () => {
    const { org, milestones, earned } = await aSeries();
    await appendMilestones(table, org, 's', plus(START, 8 * SECOND + SETTLING_MICROS), { every });
    expect(await milestones()).toEqual(earned.slice(0, 1));
    await appendMilestones(table, org, 's', plus(START, 9 * SECOND + SETTLING_MICROS), { every });
    expect(await milestones()).toEqual(earned.slice(0, 2));
  });

  test('milestones are announced before they are written, with exactly the entries that they cover', async () => {
    const { org, entries, now, milestones } = await aSeries();
    const announced: unknown[] = [];
    const settled = async (covered: readonly unknown[]) => {
      expect(await milestones()).toHaveLength(announced.length);
      announced.push(covered);
    };
    await appendMilestones(table, org, 's', now, { every, settled });
    expect(announced).toEqual([0, 4, 8, 12].map((i) => entries.slice(i, i + 4)));
  });

  test('are the same when eight relays append at once', async () => {
    const { org, now, milestones, earned } = await aSeries();
    const appended = await Promise.all(
      Array.from({ length: 8 }, () => appendMilestones(table, org, 's', now, { every })),
    );
    for (let round = 0; round < 4; round += 1) appended.push(await appendMilestones(table, org, 's', now, { every }));
    expect(appended.reduce((a, b) => a + b)).toBe(4);
    expect(await milestones()).toEqual(earned);
  });

  test('are not appended after one that a recount took away meanwhile', async () => {
    const { org, entries, now, milestones, earned } = await aSeries();
    await appendMilestones(table, org, 's', plus(START, 9 * SECOND + SETTLING_MICROS), { every });
    const late = entryItem(org, 's', { r: 'late', id: newId(plus(START, SECOND / 2)) });
    const appended = await appendMilestones(table, org, 's', now, {
      every,
      settled: async () => {
        await table.put(late);
        await recountFrom(table, org, EVIDENCE_FACETS, 's', [{ id: late.sk }], now, new Set(), { every });
      },
    });
    expect(appended).toBe(0);
    expect(await milestones()).toEqual([4, 8, 12, 16, 20].map((total) => [total, entries[total - 1]?.id]));
    expect(await milestones()).not.toEqual(earned);
  });

  test('find an entry that appeared behind them, and no other', async () => {
    const { org, entries, now } = await aSeries();
    await appendMilestones(table, org, 's', now, { every });
    const late = entryItem(org, 's', { r: 'late', id: newId(plus(START, 5 * SECOND + 1000)) });
    await table.put(late);
    expect(await stretchAround(table, org, 's', late.sk, now)).toEqual({ before: entries[8]?.id, sound: false });
    expect(await stretchAround(table, org, 's', entries[3]?.id ?? '', now)).toEqual({
      before: entries[4]?.id,
      sound: true,
    });
    expect(await stretchAround(table, org, 's', entries[8]?.id ?? '', now)).toEqual({
      before: entries[12]?.id,
      sound: true,
    });
    expect(await stretchAround(table, org, 's', entries[16]?.id ?? '', now)).toBeUndefined();
  });

  test('are counted again from an entry that appeared behind them', async () => {
    const { org, entries, now, milestones, earned } = await aSeries();
    await appendMilestones(table, org, 's', now, { every });
    const late = { r: 'late', id: newId(plus(START, 5 * SECOND + 1000)) };
    await table.put(entryItem(org, 's', late));
    expect(await recountFrom(table, org, EVIDENCE_FACETS, 's', [late], now, new Set(), { every })).toBeNull();
    expect(await milestones()).toEqual([
      ...earned.slice(0, 1),
      ...[8, 12, 16, 20].map((total) => [total, entries[total - 1]?.id]),
    ]);
    const first = await seriesPage(table, org, 's', { page: 1, perPage: 3 }, now, undefined, every);
    expect(first.total).toBe(21);
    const all = [...entries.slice(0, 6), late, ...entries.slice(6)].toReversed();
    for (const page of [1, 2, 3, 4, 5, 6, 7]) {
      const { entries: shown } = await seriesPage(table, org, 's', { page, perPage: 3 }, now, undefined, every);
      expect(shown).toEqual(all.slice((page - 1) * 3, page * 3));
    }
  });

  test('are counted again by several relays at once without harm', async () => {
    const { org, entries, now, milestones } = await aSeries();
    await appendMilestones(table, org, 's', now, { every });
    const late = { r: 'late', id: newId(plus(START, SECOND / 2)) };
    await table.put(entryItem(org, 's', late));
    await Promise.all(
      [1, 2, 3].map(() => recountFrom(table, org, EVIDENCE_FACETS, 's', [late], now, new Set(), { every })),
    );
    await settleSeries(table, org, EVIDENCE_FACETS, 's', now, new Set(), { every });
    expect(await milestones()).toEqual([4, 8, 12, 16, 20].map((total) => [total, entries[total - 1]?.id]));
  });

  test('are appended and counted again one by one if there is time for one only', async () => {
    const { org, entries, now, milestones, earned } = await aSeries();
    const hurried = { every, isTime: () => false };
    const settle = () => settleSeries(table, org, EVIDENCE_FACETS, 's', now, new Set(), hurried);
    for (let appended = 1; appended <= 4; appended += 1) expect(await settle()).toEqual({ appended: 1, isDone: false });
    expect(await settle()).toEqual({ appended: 0, isDone: true });
    expect(await milestones()).toEqual(earned);

    const late = { r: 'late', id: newId(plus(START, 5 * SECOND + 1000)) };
    await table.put(entryItem(org, 's', late));
    const recount = () => recountFrom(table, org, EVIDENCE_FACETS, 's', [late], now, new Set(), hurried);
    const left = [await recount(), await recount(), await recount(), await recount()];
    expect(left).toEqual(['recount', 'recount', 'recount', 'settle']);
    expect(await settleSeries(table, org, EVIDENCE_FACETS, 's', now, new Set(), { every })).toEqual({
      appended: 3,
      isDone: true,
    });
    expect(await milestones()).toEqual([
      ...earned.slice(0, 1),
      ...[8, 12, 16, 20].map((total) => [total, entries[total - 1]?.id]),
    ]);
    // A message that comes twice finds that the milestones were counted again.
    expect(await recount()).toBeNull();
  });

  test('cover entries of years without any between', async () => {
    organizations += 1;
    const org = newId<OrganizationId>(plus(START, organizations));
    const entries = entriesAt(Array.from({ length: 13 }, (_, i) => Date.UTC(2010 + i, 11, 31, 23, 59, 59, 999) * 1000));
    await fillSeries(table, org, 's', entries);
    expect(await appendMilestones(table, org, 's', START, { every })).toBe(3);
    const { entries: oldest } = await seriesPage(table, org, 's', { page: 7, perPage: 2 }, START, undefined, every);
    expect(oldest).toEqual(entries.slice(0, 1));
  });
});

describe('the months of a series', () => {
  test('are those that were recorded, this one and the last, each once and in order', async () => {
    organizations += 1;
    const org = newId<OrganizationId>(plus(START, organizations));
    for (const month of ['202606', '201912', '202606']) await recordMonth(table, org, 's', month);
    expect(await readMonths(table, org, 's', START)).toEqual(['201912', '202605', '202606']);
    expect(await readMonths(table, org, 's', fromMillis(Date.UTC(2026, 0, 1)))).toEqual([
      '201912',
      '202512',
      '202601',
      '202606',
    ]);
  });
});

describe('a series without facets', () => {
  test('is not listed as due by settling it: traffic lists it', async () => {
    const { org, now } = await aSeries();
    await settleSeries(table, org, EVIDENCE_FACETS, 's', now, new Set(), { every });
    expect(await table.query({ pk: dueSeriesList(org) })).toEqual([]);
  });
});
