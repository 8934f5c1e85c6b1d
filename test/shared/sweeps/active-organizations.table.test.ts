import { describe, expect, test } from 'vitest';
import { RelayMemory } from '#functions/relay/memory.ts';
import { sweepOrganizations } from '#functions/relay/sweeps/sweep-organizations.ts';
import { newId, type OrganizationId } from '#shared/base/ids.ts';
import { fromMillis, plus } from '#shared/base/time.ts';
import { readOrganizationIds } from '#shared/organizations/list-organizations.ts';
import { organizationList, organizationListKey } from '#shared/organizations/records/keys.ts';
import { type ActiveOrganization, listActive, readActive, removeActive } from '#shared/sweeps/active-organizations.ts';
import { visitOrganizations } from '#shared/sweeps/visit-organizations.ts';
import { continueWalk, WALK_EVERY } from '#shared/sweeps/walk-organizations.ts';
import { movableClock } from '#test/support/clock.ts';
import { recordingQueues } from '#test/support/queue.ts';
import { tableAround } from '#test/support/table/faults.ts';
import { testTable } from '#test/support/table.ts';
import { testObjects } from '#test/support/trails.ts';

const START = fromMillis(Date.UTC(2026, 5, 15, 12));
const HOUR = 3_600_000_000;
const table = await testTable();

const newOrganizations = (count: number): OrganizationId[] =>
  Array.from({ length: count }, (_, i) => newId<OrganizationId>(plus(START, i * 1000))).sort();
const known = (ids: readonly OrganizationId[]) =>
  table.putMany(ids.map((id) => ({ ...organizationListKey(id), v: 1 })));
const listed = async () => (await readActive(table)).map(({ org }) => org);
const removeAll = async () => {
  for (const one of await readActive(table)) await removeActive(table, one);
};

describe('visits of organizations', () => {
  const active: ActiveOrganization[] = newOrganizations(40).map((org) => ({ org, at: START }));
  const names = active.map(({ org }) => org);

  test('a sweep continues at the organization at which the last one ran out of time', async () => {
    const seen: OrganizationId[][] = [];
    for (let sweep = 0; sweep < 5; sweep += 1) {
      const visited: OrganizationId[] = [];
      const isTime = () => visited.length < 16;
      await visitOrganizations(table, 'short-of-time', active, isTime, async ({ org }) => void visited.push(org));
      seen.push(visited);
    }
    expect(seen.slice(0, 3).flat().toSorted()).toEqual([...names, ...names.slice(0, 8)].toSorted());
    expect(seen[3]?.[0]).toBe(names[8]);
  });

  test('a sweep continues behind an organization that ended the process', async () => {
    const visited = new Set<OrganizationId>();
    const sweep = () =>
      visitOrganizations(
        table,
        'crash',
        active,
        () => true,
        async ({ org }) => {
          if (org === names[3]) throw new Error('Out of memory');
          visited.add(org);
        },
      );
    for (let i = 0; i < 4; i += 1) await expect(sweep()).rejects.toThrow('Out of memory');
    expect(names.slice(16).every((org) => visited.has(org))).toBe(true);
  });
});

test('an organization leaves the list, unless it was listed again since the list was read', async () => {
  const [org] = newOrganizations(1);
  if (!org) throw new Error('One was asked for');
  await listActive(table, org, START);
  const before = await readActive(table);
  expect(before).toContainEqual({ org, at: START });
  await listActive(table, org, plus(START, 1));
  for (const one of before) await removeActive(table, one);
  expect(await listed()).toContain(org);
  await removeAll();
  expect(await listed()).not.toContain(org);
});

test('the walk lists every organization once in two days, a portion per sweep', async () => {
  const ids = newOrganizations(12);
  await known(ids);
  const found: number[] = [];
  for (let sweep = 0; sweep < 4; sweep += 1) {
    await continueWalk(table, readOrganizationIds, plus(START, sweep), 5);
    found.push((await listed()).length);
  }
  expect(found).toEqual([6, 11, 12, 12]);
  expect(await listed()).toEqual(ids);
  const [first] = await readActive(table);
  if (!first) throw new Error('Organizations are listed');
  // A time that the relay stored stays.
  await listActive(table, first.org, START);
  await continueWalk(table, readOrganizationIds, plus(START, WALK_EVERY), 5);
  expect(await readActive(table)).toContainEqual({ org: first.org, at: START });
  await removeAll();
});

test('a sweep costs the same for any number of organizations in which nothing happened', async () => {
  const clock = movableClock(plus(START, 10 * WALK_EVERY));
  const calls: string[] = [];
  const counting = tableAround(table, ({ command, input }, send) => {
    calls.push(`${command} ${JSON.stringify(input['ExpressionAttributeValues'] ?? input['Key'])}`);
    return send();
  });
  const services = { table: counting, clock, objects: testObjects(), ...recordingQueues() };
  const sweep = async () => {
    calls.length = 0;
    await sweepOrganizations(services, { memory: new RelayMemory(), log: () => undefined });
    return [...calls];
  };
  await known(newOrganizations(3));
  // The first sweep finishes the walk of the test before.
  await sweep();
  const { length: ofWalk } = await sweep();
  expect(await listed()).toEqual([]);
  clock.advance(HOUR);
  const idle = await sweep();
  expect(idle).toHaveLength(5);
  const { length: count } = await table.query({ pk: organizationList });
  // docs/deploying.md#what-it-costs computes with these calls, two of which are writes.
  expect((ofWalk - idle.length) / count).toBeLessThan(36);
  await known(newOrganizations(100));
  expect(await sweep()).toEqual(idle);
});
