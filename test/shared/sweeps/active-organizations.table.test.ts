import { describe, expect, test } from 'vitest';
import { RelayMemory } from '#functions/relay/memory.ts';
import { newId, type OrganizationId } from '#shared/base/ids.ts';
import { fromMillis, plus } from '#shared/base/time.ts';
import { readOrganizationIds } from '#shared/organizations/list-organizations.ts';
import { organizationList, organizationListKey } from '#shared/organizations/records/keys.ts';
import { beginVisit, endVisit, listActive, readActive, removeActive } from '#shared/sweeps/active-organizations.ts';
import { continueWalk, WALK_EVERY } from '#shared/sweeps/walk-organizations.ts';
import { sweepOrganizations } from '#test/functions/relay/relay-setting.ts';
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

describe('visits of one organization', () => {
  const SECOND = 1_000_000;
  const listedOne = async () => {
    const [org] = newOrganizations(1);
    if (!org) throw new Error('One was asked for');
    await listActive(table, org, START);
    return org;
  };
  const at = (seconds: number) => plus(START, seconds * SECOND);
  const begin = async (org: OrganizationId, sent: number, now: number) =>
    (await beginVisit(table, org, { sent: at(sent), now: at(now), until: at(now + 60) })) !== null;
  const proved = async (org: OrganizationId) => (await readActive(table)).find((one) => one.org === org)?.provedAt;

  test('never run at the same time, and a message that a later visit made superfluous begins none', async () => {
    const org = await listedOne();
    expect(await begin(org, 1, 2)).toBe(true);
    expect(await begin(org, 1, 3)).toBe(false);
    await endVisit(table, org, at(2));
    expect(await begin(org, 1, 4)).toBe(false);
    expect(await begin(org, 5, 5)).toBe(true);
    await endVisit(table, org, null);
    expect(await proved(org)).toBe(at(2));
    await removeAll();
  });

  test('begin again after a process ended in the middle, when its time is over', async () => {
    const org = await listedOne();
    expect(await begin(org, 1, 2)).toBe(true);
    expect([await begin(org, 1, 61), await begin(org, 1, 62)]).toEqual([false, true]);
    await removeAll();
  });

  test('do not begin when the organization left the list', async () => {
    const org = await listedOne();
    await removeAll();
    expect(await begin(org, 1, 2)).toBe(false);
    await endVisit(table, org, at(2));
    expect(await listed()).not.toContain(org);
  });

  test('prove nothing until one is complete: the age counts from the first listing', async () => {
    const org = await listedOne();
    await listActive(table, org, at(300));
    expect(await proved(org)).toBe(START);
    await begin(org, 301, 301);
    await endVisit(table, org, at(301));
    await listActive(table, org, at(400));
    expect(await proved(org)).toBe(at(301));
    await removeAll();
  });
});

test('an organization leaves the list, unless it was listed again since the list was read', async () => {
  const [org] = newOrganizations(1);
  if (!org) throw new Error('One was asked for');
  await listActive(table, org, START);
  const before = await readActive(table);
  expect(before).toContainEqual({ org, at: START, provedAt: START });
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
  expect(await readActive(table)).toContainEqual(expect.objectContaining({ org: first.org, at: START }));
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
