import { describe, expect, test } from 'vitest';
import { newId, type OrganizationId } from '#shared/base/ids.ts';
import { readOrganizationIds } from '#shared/organizations/list-organizations.ts';
import { organizationListKey } from '#shared/organizations/records/keys.ts';
import { sweepPositionKey } from '#shared/sweeps/keys.ts';
import { continueRound } from '#shared/sweeps/rounds.ts';
import { movableClock } from '#test/support/clock.ts';
import { testTable } from '#test/support/table.ts';

const table = await testTable();
const clock = movableClock();

async function newOrganization(): Promise<OrganizationId> {
  const org = newId<OrganizationId>(clock.now());
  await table.put({ ...organizationListKey(org), v: 1, name: org });
  return org;
}

describe('a round over all organizations', async () => {
  const orgs: OrganizationId[] = [];
  for (let i = 0; i < 20; i += 1) orgs.push(await newOrganization());
  const always = { isDue: () => true, isTime: () => true };

  test('a round visits each organization before it visits one again', async () => {
    const round = {
      ...always,
      name: `fair-${newId(clock.now())}`,
      readOrganizations: readOrganizationIds,
      now: clock.now(),
    };
    const seen: OrganizationId[] = [];
    const visit = async (org: OrganizationId) => {
      if (orgs.includes(org)) seen.push(org);
      return seen.length < 30 && org === orgs[0] ? ('more' as const) : ('done' as const);
    };
    expect(await continueRound(table, round, visit)).toMatchObject({ isDone: true });
    expect(seen).toHaveLength(60);
    for (const first of [0, 20, 40]) expect(new Set(seen.slice(first, first + 20))).toEqual(new Set(orgs));
    expect(await continueRound(table, { ...round, isDue: () => false }, visit)).toBeNull();
  });

  test('a round continues behind the visits that an ended call began, and then visits all organizations', async () => {
    const round = {
      ...always,
      name: `ended-${newId(clock.now())}`,
      readOrganizations: readOrganizationIds,
      now: clock.now(),
    };
    const ending = continueRound(table, round, async (org) => {
      if (org === orgs[0]) throw new Error('The process ends');
      return 'done';
    });
    await expect(ending).rejects.toThrow('The process ends');
    const position = await table.get(sweepPositionKey(round.name));
    const seen: OrganizationId[] = [];
    const visit = async (org: OrganizationId) => {
      seen.push(org);
      return 'done' as const;
    };
    expect(await continueRound(table, round, visit)).toMatchObject({ isDone: true });
    expect(seen[0] && seen[0] > String(position?.['after'])).toBe(true);
    expect(orgs.filter((org) => !seen.includes(org))).toEqual([]);
  });
});
