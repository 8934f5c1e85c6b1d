import { describe, expect, it } from 'vitest';
import { SWEEP_MILLIS, sweepAllLogs } from '#functions/integrator/sweep-logs.ts';
import { INTEGRATOR_USES } from '#functions/integrator/uses.ts';
import { newId, type OrganizationId } from '#shared/base/ids.ts';
import type { Duration } from '#shared/base/time.ts';
import { tileRootKey } from '#shared/log/records/keys.ts';
import { readWalk } from '#shared/log/records/walks.ts';
import { organizationListKey } from '#shared/organizations/records/keys.ts';
import { movableClock } from '#test/support/clock.ts';
import { heldTo } from '#test/support/declared-uses.ts';
import { integratorOf, trailEntries } from '#test/support/log/log.ts';
import { testTable } from '#test/support/table.ts';

const DAY: Duration = 24 * 3_600_000_000;
const table = await testTable();
const clock = movableClock();
const { services, integrate } = integratorOf(table, { clock });

async function newOrganization(): Promise<OrganizationId> {
  const org = newId<OrganizationId>(clock.now());
  await table.put({ ...organizationListKey(org), v: 1, name: org });
  return org;
}

/** Runs the schedule once. @returns the lines about an organization, as its parts or errors */
async function sweep(org: OrganizationId, wallClock: () => number = () => 0): Promise<unknown[]> {
  const lines: unknown[] = [];
  const log = (message: string, { organization, part }: Record<string, unknown>) => {
    if (organization === org) lines.push(part ?? message);
  };
  await heldTo('integrator', INTEGRATOR_USES, () => sweepAllLogs(services, { log, wallClock }));
  return lines;
}

describe('the walk over all logs', () => {
  it('compares each log once a day, and raises the alarm for the part that differs', async () => {
    const [sound, changed, empty] = [await newOrganization(), await newOrganization(), await newOrganization()];
    for (const org of [sound, changed]) await integrate(org, trailEntries(org, 'walked', 260));
    await table.put({ ...tileRootKey(changed, 0, 0), v: 1, hash: Buffer.alloc(32) });
    clock.advance(DAY);
    expect(await sweep(changed)).toEqual(['N#0#0']);
    const { walk } = await readWalk(table, sound);
    expect([walk?.size, walk?.range.size, walk?.finishedAt !== null]).toEqual([260, 256, true]);
    expect((await readWalk(table, empty)).walk).toBeNull();
    expect(await sweep(changed)).toEqual([]);
    clock.advance(DAY);
    expect(await sweep(changed)).toEqual(['N#0#0']);
    expect(await sweep(sound)).toEqual([]);
  });

  it('continues in the next call where the time of a call was over', async () => {
    const org = await newOrganization();
    await integrate(org, trailEntries(org, 'walked', 260));
    await table.put({ ...tileRootKey(org, 0, 0), v: 1, hash: Buffer.alloc(32) });
    clock.advance(DAY);
    const times = [0, SWEEP_MILLIS];
    expect(await sweep(org, () => times.shift() ?? SWEEP_MILLIS)).toEqual([]);
    expect(await sweep(org)).toEqual(['N#0#0']);
  });
});
