import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { newId, type OrganizationId, timeOfId } from '#shared/base/ids.ts';
import { fromMillis, type Micros, micros, minus, plus } from '#shared/base/time.ts';
import { EVIDENCE_FACETS } from '#shared/evidence/rules/series-kinds.ts';
import { facetSeries, settleSeries } from '#shared/series/facets.ts';
import { seriesDirectory, seriesPartition } from '#shared/series/keys.ts';
import { appendMilestones, SETTLING_MICROS } from '#shared/series/milestones.ts';
import { MILESTONE_EVERY, type SeriesPage, type SeriesQuery, seriesPage, type Window } from '#shared/series/series.ts';
import { storedKey } from '#shared/table/keys.ts';
import { counted, newCount } from '#shared/table/meter.ts';
import type { Table } from '#shared/table/table.ts';
import { entriesAt, fillSeries, fillSettledSeries, type TestEntry } from '#test/support/table/entries.ts';
import { testTable } from '#test/support/table.ts';

const SECOND = 1_000_000;
const DAY = 86_400 * SECOND;
/** 15 June 2026, noon. */
const START = fromMillis(Date.UTC(2026, 5, 15, 12));

let table: Table;
beforeAll(async () => {
  table = await testTable();
});

let organizations = 0;
const anOrganization = (): OrganizationId => {
  organizations += 1;
  return newId(plus(START, organizations));
};

/** What a series must answer, from a plain list. */
function model(
  entries: readonly TestEntry[],
  { page, perPage, oldestFirst = false }: SeriesQuery,
  window?: Window,
): SeriesPage {
  const at = (id: string): Micros => micros(timeOfId(id) + Number.parseInt(id.slice(14, 18), 16));
  const inWindow = entries
    .filter(({ id }) => !window || (at(id) >= window.from && at(id) <= window.to))
    .toSorted((a, b) => (a.id < b.id === oldestFirst ? -1 : 1));
  return {
    total: inWindow.length,
    whole: entries.length,
    entries: inWindow.slice((page - 1) * perPage, page * perPage),
  };
}

describe('a time series', () => {
  test('a time series without entries has no pages and no total', async () => {
    const org = anOrganization();
    const none = { total: 0, whole: 0, entries: [] };
    expect(await seriesPage(table, org, 'empty', { page: 1, perPage: 10 }, START)).toEqual(none);
    expect(await seriesPage(table, org, 'empty', { page: 1e12, perPage: 100 }, START)).toEqual(none);
    expect(
      await seriesPage(table, org, 'empty', { page: 1, perPage: 10 }, START, {
        from: micros(0),
        to: micros(Number.MAX_VALUE),
      }),
    ).toEqual(none);
  });

  test('shows entries of this month and the last before the relay has recorded any month', async () => {
    const org = anOrganization();
    const firstOfJuly = Date.UTC(2026, 6, 1) * 1000;
    const entries = entriesAt([firstOfJuly - SECOND, firstOfJuly, firstOfJuly + SECOND]);
    await table.putMany(
      entries.map(({ id, ...rest }, i) => ({
        ...storedKey(`${org}#SERIES#trails#${i === 0 ? '202606' : '202607'}#0`, id),
        v: 1,
        ...rest,
      })),
    );
    const page = await seriesPage(table, org, 'trails', { page: 1, perPage: 10 }, micros(firstOfJuly + 2 * SECOND));
    expect(page).toEqual({ total: 3, whole: 3, entries: entries.toReversed() });
  });

  test('keeps entries in order over month borders and empty years', async () => {
    const org = anOrganization();
    const times = [2019, 2020, 2020, 2024, 2026].map((year, i) => Date.UTC(year, i * 2, 1) * 1000 - (i % 2) * 1000);
    const entries = entriesAt(times.toSorted((a, b) => a - b));
    await fillSeries(table, org, 'sparse', entries);
    for (const page of [1, 2, 3, 4]) {
      const query = { page, perPage: 2 };
      expect(await seriesPage(table, org, 'sparse', query, START)).toEqual(model(entries, query));
    }
  });

  test('takes both ends of a window in', async () => {
    const org = anOrganization();
    const entries = entriesAt([0, 1, 2, 3, 4].map((i) => START + i * SECOND));
    await fillSeries(table, org, 'window', entries);
    const window = { from: plus(START, SECOND), to: plus(START, 3 * SECOND) };
    const page = await seriesPage(table, org, 'window', { page: 1, perPage: 10 }, plus(START, DAY), window);
    expect(page).toEqual({ total: 3, whole: 5, entries: entries.slice(1, 4).toReversed() });
    const backwards = { from: window.to, to: window.from };
    expect(await seriesPage(table, org, 'window', { page: 1, perPage: 10 }, plus(START, DAY), backwards)).toEqual({
      total: 0,
      whole: 5,
      entries: [],
    });
  });

  test('answers as a plain list does, whatever the gaps, milestones, pages and windows', {
    timeout: 240_000,
  }, async () => {
    const gap = fc.oneof(
      fc.integer({ min: 1, max: 2000 }),
      fc.integer({ min: 1000, max: 300 * SECOND }),
      fc.integer({ min: DAY, max: 500 * DAY }),
    );
    const every = 4;
    await fc.assert(
      fc.asyncProperty(
        fc.array(gap, { maxLength: 40 }),
        fc.nat({ max: 400 * SECOND }),
        fc.array(fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 9 })), {
          minLength: 3,
          maxLength: 3,
        }),
        fc.array(fc.tuple(fc.nat({ max: 41 }), fc.nat({ max: 41 })), { minLength: 2, maxLength: 2 }),
        async (gaps, since, pages, windows) => {
          const org = anOrganization();
          let at = START;
          const times = gaps.map((gap) => (at = plus(at, gap)));
          const entries = entriesAt(times);
          await fillSeries(table, org, 's', entries);
          const now = at + since;
          await appendMilestones(table, org, 's', micros(now), { every });
          const ends = [minus(START, DAY), ...times, plus(at, DAY)];
          const choices = [undefined, ...windows.map(([a, b]) => ({ from: ends[a] ?? START, to: ends[b] ?? at }))];
          for (const [i, window] of choices.entries()) {
            const [page, perPage] = pages[i] ?? [1, 1];
            for (const oldestFirst of [false, true]) {
              const query = { page, perPage, oldestFirst };
              const read = await seriesPage(table, org, 's', query, micros(now), window, every);
              expect(read).toEqual(model(entries, query, window));
            }
          }
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe('a series of 20,000 entries over three months', () => {
  const COUNT = 20_000;
  const entries = entriesAt(Array.from({ length: COUNT }, (_, i) => START + i * 350 * SECOND));
  const now = START + COUNT * 350 * SECOND + SETTLING_MICROS;
  const org = newId<OrganizationId>(START);
  const read = async (query: SeriesQuery, window?: Window) => {
    const count = newCount();
    const page = await counted(() => seriesPage(table, org, 'long', query, micros(now), window), count);
    return { page, calls: count.calls, sequential: count.sequential };
  };
  beforeAll(async () => {
    await fillSeries(table, org, 'long', entries);
    expect(await appendMilestones(table, org, 'long', micros(now))).toBe(Math.floor((COUNT - 1) / MILESTONE_EVERY));
  }, 240_000);

  test('costs three calls after one another for page 400, and two for the first page, which is read with the tail', async () => {
    const first = await read({ page: 1, perPage: 50 });
    const deep = await read({ page: 400, perPage: 50 });
    expect(first.page).toEqual(model(entries, { page: 1, perPage: 50 }));
    expect(deep.page).toEqual(model(entries, { page: 400, perPage: 50 }));
    expect([first.sequential, deep.sequential]).toEqual([2, 3]);
    expect(deep.calls).toBeLessThanOrEqual(first.calls + 2);
  });

  test('is whole when all its pages are put together', async () => {
    const pages = [1, 77, 78, 79, 80, 81, 156, 157];
    for (const page of pages) {
      const query = { page, perPage: 128 };
      expect((await read(query)).page).toEqual(model(entries, query));
    }
  });

  test('has nothing past its end, even at page 10^12, and still its total', async () => {
    for (const page of [401, 1e12]) {
      const { page: read401, sequential } = await read({ page, perPage: 50 });
      expect(read401).toEqual({ total: COUNT, whole: COUNT, entries: [] });
      expect(sequential).toBeLessThanOrEqual(3);
    }
  });

  test('cuts a window out of its middle with the same number of round trips', async () => {
    const window = { from: plus(START, 5_000 * 350 * SECOND), to: plus(START, 15_000 * 350 * SECOND) };
    for (const page of [1, 100, 201]) {
      for (const oldestFirst of [false, true]) {
        const query = { page, perPage: 50, oldestFirst };
        const { page: cut, sequential } = await read(query, window);
        expect(cut).toEqual(model(entries, query, window));
        expect(sequential).toBe(3);
      }
    }
  });

  test('needs one more round trip while the relay is far behind, and is right nevertheless', async () => {
    const late = newId<OrganizationId>(plus(START, 1));
    const many = entriesAt(Array.from({ length: 3_000 }, (_, i) => START + i * SECOND));
    await fillSeries(table, late, 'long', many);
    await appendMilestones(table, late, 'long', plus(START, 1_500 * SECOND + SETTLING_MICROS));
    const query = { page: 49, perPage: 50 };
    const count = newCount();
    const page = await counted(() => seriesPage(table, late, 'long', query, plus(START, DAY)), count);
    expect(page).toEqual(model(many, query));
    expect(count.sequential).toBe(4);
  });
});

test('a filled settled series has the items that the relay makes of the entries', async () => {
  const [settled, filled] = [anOrganization(), anOrganization()];
  const entries = entriesAt(
    Array.from({ length: 300 }, (_, i) => START + i * SECOND),
    (i) => ({ p: i % 3 === 0 ? 'one' : 'other' }),
  );
  await fillSeries(table, settled, 'builds', entries);
  await settleSeries(table, settled, EVIDENCE_FACETS, 'builds', plus(START, DAY), new Set());
  await fillSettledSeries(table, filled, 'builds', entries);
  const series = ['builds', ...['one', 'other'].map((p) => facetSeries(EVIDENCE_FACETS, 'builds', { p }))];
  const itemsOf = async (org: OrganizationId) => {
    const partitions = series.flatMap((one) => [seriesDirectory(org, one), seriesPartition(org, one, '202606')]);
    const items = await table.queryEach(partitions.map((pk) => ({ pk })));
    return items.map((found) => found.map(({ pk, ...rest }) => ({ pk: pk.replace(org, ''), ...rest })));
  };
  const expected = await itemsOf(settled);
  expect(expected.map(({ length }) => length)).toEqual([9, 300, 3, 86, 5, 170]);
  expect(await itemsOf(filled)).toEqual(expected);
});
