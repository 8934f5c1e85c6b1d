import { describe, expect, it } from 'vitest';
import { newId, type OrganizationId } from '#shared/base/ids.ts';
import { indexOf } from '#shared/log/records/claims.ts';
import { readHead } from '#shared/log/records/log-state.ts';
import { parseEntry } from '#shared/log/rules/entry.ts';
import { entryAt } from '#shared/log/tiles.ts';
import { movableClock } from '#test/support/clock.ts';
import { checkedEntries, integratorOf, trailEntries } from '#test/support/log.ts';
import { testTable } from '#test/support/table.ts';

const table = await testTable();
const { services, integrate, logged } = integratorOf(table);
const clock = movableClock();
const newOrganization = () => newId<OrganizationId>(clock.now());
const entriesOf = (org: OrganizationId) => checkedEntries(services, org);
const texts = (entries: readonly Buffer[]) => entries.map((entry) => entry.toString('latin1'));

describe('the integrator', () => {
  it('appends each entry once, in the order of trails and numbers, and publishes a checkpoint', async () => {
    const org = newOrganization();
    const [one, two] = [trailEntries(org, 'one', 3), trailEntries(org, 'two', 2)];
    expect(await integrate(org, [...two, ...one.toReversed()])).toBe(0);
    expect(await entriesOf(org)).toEqual([...one, ...two]);
    expect(await integrate(org, [...two, ...one])).toBe(0);
    expect(await entriesOf(org)).toEqual([...one, ...two]);
    const [, last] = two as [Buffer, Buffer];
    expect(await indexOf(table, org, parseEntry(last).subject)).toBe(4);
    expect(await entryAt(services, org, 5, 4)).toEqual(last);
    expect(logged).toEqual([]);
  });

  it('appends each entry once when several integrators have the same entries at the same time', async () => {
    const org = newOrganization();
    const trails = ['a', 'b', 'c', 'd'].map((trail) => trailEntries(org, trail, 60));
    const calls = trails.map((own, i) => integrate(org, [...own, ...(trails[(i + 1) % 4] ?? [])]));
    expect(await Promise.all(calls)).toEqual([0, 0, 0, 0]);
    const entries = texts(await entriesOf(org));
    expect(entries).toHaveLength(240);
    expect(new Set(entries)).toEqual(new Set(texts(trails.flat())));
  });

  it('stores tiles at the borders of bundles', async () => {
    const org = newOrganization();
    const entries = trailEntries(org, 'long', 600);
    let size = 0;
    for (const next of [255, 256, 257, 511, 512, 600]) {
      await integrate(org, entries.slice(size, next));
      size = next;
      expect([next, (await entriesOf(org)).length]).toEqual([next, next]);
    }
    expect((await readHead(table, org))?.tiled).toBe(512);
    expect(await entriesOf(org)).toEqual(entries);
  });
});
