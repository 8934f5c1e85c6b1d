import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { newId, type OrganizationId } from '#shared/base/ids.ts';
import { fromMillis, type Micros, micros, plus } from '#shared/base/time.ts';
import { EVIDENCE_FACETS } from '#shared/evidence/rules/series-kinds.ts';
import { type Facet, facetPage, facetSeries, recountFrom, settleSeries } from '#shared/series/facets.ts';
import { dueSeriesList } from '#shared/series/keys.ts';
import { SETTLING_MICROS } from '#shared/series/milestones.ts';
import { milestonesBetween } from '#shared/series/series-entries.ts';
import { counted, newCount } from '#shared/table/meter.ts';
import type { Table } from '#shared/table/table.ts';
import { entriesAt, entryItem, fillSeries, type TestEntry } from '#test/support/table/entries.ts';
import { tableAround } from '#test/support/table/faults.ts';
import { testTable } from '#test/support/table.ts';

const SECOND = 1_000_000;
const DAY = 86_400 * SECOND;
const START = fromMillis(Date.UTC(2026, 5, 15, 12));
const every = 4;
const FACETS: readonly Facet[] = [{ f: 'flow-0' }, { f: 'flow-1' }, { y: 'custom:b' }, { f: 'flow-0', y: 'custom:b' }];

let table: Table;
beforeAll(async () => {
  table = await testTable();
});

let organizations = 0;
const anOrganization = (): OrganizationId => {
  organizations += 1;
  return newId(plus(START, organizations));
};

const attributes = (i: number) => ({ f: `flow-${i % 3 === 0 ? 1 : 0}`, y: i % 5 < 2 ? 'custom:b' : 'generic' });

/** Reads a page of a facet, of the flow `flow-0` by default, as a request of the day after does. */
const pageOf = (
  org: OrganizationId,
  query: { page: number; perPage: number },
  more: { facet?: Facet; now?: Micros; window?: { from: Micros; to: Micros }; from?: Table } = {},
) => {
  const { facet = { f: 'flow-0' }, now = plus(START, DAY), window, from = table } = more;
  return facetPage(from, org, EVIDENCE_FACETS, 'attestations', facet, query, now, window, every);
};

/** Every page of every facet is what filtering a plain list gives. */
async function expectAllFacets(
  org: OrganizationId,
  entries: readonly TestEntry[],
  now: Micros,
  perPage = 3,
): Promise<void> {
  for (const facet of FACETS) {
    const expected = entries
      .filter((entry) => Object.entries(facet).every(([name, value]) => entry[name] === value))
      .toSorted((a, b) => (a.id < b.id ? 1 : -1));
    for (let page = 1; page <= Math.ceil(expected.length / perPage) + 1; page += 1) {
      const shown = await pageOf(org, { page, perPage }, { facet, now });
      const { length: total } = expected;
      const there = expected.slice((page - 1) * perPage, page * perPage);
      expect(shown).toEqual({ total, whole: total, entries: there });
    }
  }
}

const series = (count: number) =>
  entriesAt(
    Array.from({ length: count }, (_, i) => START + i * SECOND),
    attributes,
  );
const settledAt = (count: number) => START + count * SECOND + SETTLING_MICROS;

describe('a facet', () => {
  test('is read from its base while no entry was copied', async () => {
    const org = anOrganization();
    const entries = series(10);
    await fillSeries(table, org, 'attestations', entries);
    await expectAllFacets(org, entries, plus(START, DAY));
  });

  test('contains every entry once, settled or not, with milestones of its own', { timeout: 240_000 }, async () => {
    const org = anOrganization();
    const entries = series(50);
    await fillSeries(table, org, 'attestations', entries);
    for (const settled of [3, 5, 20, 50]) {
      await settleSeries(table, org, EVIDENCE_FACETS, 'attestations', micros(settledAt(settled)), new Set(), { every });
      await expectAllFacets(org, entries, micros(settledAt(settled)), 7);
    }
    const own = await milestonesBetween(
      table,
      org,
      facetSeries(EVIDENCE_FACETS, 'attestations', { f: 'flow-0' }),
      0,
      1_000,
    );
    expect(own.length).toBeGreaterThan(4);
  });

  test('takes three round trips for any page', async () => {
    const org = anOrganization();
    const entries = series(60);
    await fillSeries(table, org, 'attestations', entries);
    await settleSeries(table, org, EVIDENCE_FACETS, 'attestations', micros(settledAt(60)), new Set(), { every });
    for (const page of [1, 5, 10, 1e12]) {
      const count = newCount();
      await counted(() => pageOf(org, { page, perPage: 3 }), count);
      expect(count.sequential).toBeLessThanOrEqual(3);
    }
  });

  test('respects a time window like its base', async () => {
    const org = anOrganization();
    const entries = series(40);
    await fillSeries(table, org, 'attestations', entries);
    await settleSeries(table, org, EVIDENCE_FACETS, 'attestations', micros(settledAt(30)), new Set(), { every });
    const query = { page: 1, perPage: 100 };
    for (const [from, to] of [
      [0, 39],
      [5, 12],
      [12, 35],
      [33, 37],
      [20, 3],
    ] as const) {
      const window = { from: plus(START, from * SECOND), to: plus(START, to * SECOND) };
      const expected = entries
        .slice(from, to + 1)
        .filter(({ f }) => f === 'flow-0')
        .toReversed();
      const page = await pageOf(org, query, { window });
      const whole = entries.filter(({ f }) => f === 'flow-0').length;
      expect(page).toEqual({ total: expected.length, whole, entries: expected });
    }
  });

  test('counts nothing twice if the relay stopped between copying and the milestone', async () => {
    const org = anOrganization();
    const entries = series(12);
    await fillSeries(table, org, 'attestations', entries);
    const flow = facetSeries(EVIDENCE_FACETS, 'attestations', { f: 'flow-0' });
    const spreadAlready = entries.slice(0, 6).filter(({ f }) => f === 'flow-0');
    await table.putMany(spreadAlready.map((entry) => entryItem(org, flow, entry)));
    await expectAllFacets(org, entries, plus(START, DAY));
    await settleSeries(table, org, EVIDENCE_FACETS, flow, plus(START, DAY), new Set(), { every });
    expect(await milestonesBetween(table, org, flow, 0, 1_000)).toEqual([]);
    await settleSeries(table, org, EVIDENCE_FACETS, 'attestations', plus(START, DAY), new Set(), { every });
    await expectAllFacets(org, entries, plus(START, DAY));
  });

  test('has no milestone after that of its base, because later copies can be incomplete', async () => {
    const org = anOrganization();
    const entries = series(30);
    await fillSeries(table, org, 'attestations', entries);
    await settleSeries(table, org, EVIDENCE_FACETS, 'attestations', micros(settledAt(6)), new Set(), { every });
    const flow = facetSeries(EVIDENCE_FACETS, 'attestations', { f: 'flow-0' });
    const spreadPartly = entries.filter(({ f }, i) => f === 'flow-0' && i !== 8);
    await table.putMany(spreadPartly.map((entry) => entryItem(org, flow, entry)));
    expect(
      (await settleSeries(table, org, EVIDENCE_FACETS, flow, plus(START, DAY), new Set(), { every })).appended,
    ).toBe(0);
    await settleSeries(table, org, EVIDENCE_FACETS, 'attestations', plus(START, DAY), new Set(), { every });
    await expectAllFacets(org, entries, plus(START, DAY), 5);
  });

  test('counts nothing twice if its milestones are read after its base got a new one', async () => {
    const org = anOrganization();
    const entries = series(30);
    await fillSeries(table, org, 'attestations', entries);
    await settleSeries(table, org, EVIDENCE_FACETS, 'attestations', micros(settledAt(6)), new Set(), { every });
    const settledMeanwhile = Promise.withResolvers<void>();
    const slow = tableAround(table, async ({ command, input }, send) => {
      const asked = JSON.stringify(input);
      const milestones = command === 'Query' && asked.includes('#MILESTONES#attestations');
      if (milestones && asked.includes('?')) {
        await settledMeanwhile.promise;
        return send();
      }
      const answer = await send();
      if (milestones) {
        await settleSeries(table, org, EVIDENCE_FACETS, 'attestations', plus(START, DAY), new Set(), { every });
        settledMeanwhile.resolve();
      }
      return answer;
    });
    const query = { page: 1, perPage: 100 };
    const page = await pageOf(org, query, { from: slow });
    const expected = entries.filter(({ f }) => f === 'flow-0').toReversed();
    expect(page).toEqual({ total: expected.length, whole: expected.length, entries: expected });
  });

  test('is complete while the relay copies and appends and readers read', { timeout: 240_000 }, async () => {
    const org = anOrganization();
    const entries = series(80);
    await fillSeries(table, org, 'attestations', entries);
    let settling = true;
    const relays = Promise.all(
      [1, 2].map(async () => {
        for (let settled = 5; settled <= 80; settled += 5) {
          await settleSeries(table, org, EVIDENCE_FACETS, 'attestations', micros(settledAt(settled)), new Set(), {
            every,
          });
        }
      }),
    ).finally(() => {
      settling = false;
    });
    const expected = entries.filter(({ f }) => f === 'flow-0').toReversed();
    let reads = 0;
    while (settling) {
      const query = { page: 1 + (reads % 5), perPage: 11 };
      const page = await pageOf(org, query);
      const there = expected.slice((query.page - 1) * 11, query.page * 11);
      expect(page).toEqual({ total: expected.length, whole: expected.length, entries: there });
      reads += 1;
    }
    await relays;
    expect(reads).toBeGreaterThan(5);
    await expectAllFacets(org, entries, plus(START, DAY), 13);
  });

  test('gets an entry that appeared late', async () => {
    const org = anOrganization();
    const entries = series(40);
    await fillSeries(table, org, 'attestations', entries);
    await settleSeries(table, org, EVIDENCE_FACETS, 'attestations', micros(settledAt(40)), new Set(), { every });
    const late = { r: 'late', f: 'flow-0', y: 'custom:b', id: newId(plus(START, 5 * SECOND + 1000)) };
    await table.put(entryItem(org, 'attestations', late));
    await recountFrom(table, org, EVIDENCE_FACETS, 'attestations', [late], micros(settledAt(40)), new Set(), { every });
    await expectAllFacets(org, [...entries, late], plus(START, DAY), 9);
  });

  test('is listed as due before its base has the milestone, so that a sweep can finish interrupted work', async () => {
    const org = anOrganization();
    await fillSeries(table, org, 'attestations', series(5));
    await settleSeries(table, org, EVIDENCE_FACETS, 'attestations', micros(settledAt(5)), new Set(), { every });
    const due = (await table.query({ pk: dueSeriesList(org) })).map(({ sk }) => sk);
    expect(due).toContain(facetSeries(EVIDENCE_FACETS, 'attestations', { f: 'flow-0' }));
  });

  test('equals the filtered list for any gaps and any settling time', { timeout: 240_000 }, async () => {
    const gap = fc.oneof(fc.integer({ min: 1000, max: 100 * SECOND }), fc.integer({ min: DAY, max: 90 * DAY }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(gap, { maxLength: 30 }),
        fc.array(fc.nat({ max: 30 }), { maxLength: 3 }),
        async (gaps, settlings) => {
          const org = anOrganization();
          let at = START;
          const times = gaps.map((gap) => (at = plus(at, gap)));
          const entries = entriesAt(times, attributes);
          await fillSeries(table, org, 'attestations', entries);
          for (const i of settlings.toSorted((a, b) => a - b)) {
            const now = micros((times[i] ?? START) + SETTLING_MICROS + 2000);
            await settleSeries(table, org, EVIDENCE_FACETS, 'attestations', now, new Set(), { every });
          }
          await expectAllFacets(org, entries, micros(at + SECOND), 6);
        },
      ),
      { numRuns: 8 },
    );
  });
});
