import { describe, expect, it } from 'vitest';
import { newId, type OrganizationId } from '#shared/base/ids.ts';
import { micros } from '#shared/base/time.ts';
import { secondsUntilCovered } from '#shared/log/receipts/ask-again.ts';
import { readCheckpoint, readHead } from '#shared/log/records/log-state.ts';
import { SignatureTurns } from '#shared/log/signature-turns.ts';
import { steppingClock } from '#test/support/clock.ts';
import { integratorOf, trailEntries } from '#test/support/log/log.ts';
import { faultyTable } from '#test/support/table/faults.ts';
import { testTable } from '#test/support/table.ts';

const table = await testTable();
const clock = steppingClock(micros(1_700_000_000_000_000));
const newOrganizations = (count: number) => Array.from({ length: count }, () => newId<OrganizationId>(clock.now()));
const messageOf = (org: OrganizationId) => ({
  org,
  entries: trailEntries(org, 'run', 1).map((entry) => entry.toString('base64')),
});
const signedOf = async (orgs: readonly OrganizationId[]) => {
  const checkpoints = await Promise.all(orgs.map((org) => readCheckpoint(table, org)));
  return orgs.filter((_, i) => checkpoints[i]);
};

describe('the signatures of a region', () => {
  it('are given in the order of the messages, and those that wait come back with their numbers', async () => {
    const orgs = newOrganizations(7);
    const containers = [1, 2].map(() => integratorOf(table, { clock, turns: new SignatureTurns(2) }));
    const [one, two] = containers as [(typeof containers)[0], (typeof containers)[0]];
    expect(await one.work(orgs.slice(0, 5).map(messageOf))).toBe(0);
    expect(await two.work(orgs.slice(5).map(messageOf))).toBe(0);
    expect(await signedOf(orgs)).toEqual(orgs.slice(0, 4));
    expect((await readHead(table, orgs[6] as OrganizationId))?.range.size).toBe(1);
    // Logs are worked on at the same time, so their messages are sent in any order. Places follow the order of `orgs`.
    const placeOf = (sent: unknown) => orgs.findIndex((org) => JSON.stringify(sent).includes(org));
    const later = [...one.sent.take(), ...two.sent.take()].sort((a, b) => placeOf(a) - placeOf(b));
    expect(later.map(({ message }) => message)).toMatchObject(
      orgs.slice(4).map((org, i) => ({ org, number: 5 + i, entries: [] })),
    );
    expect(later.map(({ delaySeconds }) => delaySeconds)).toEqual([1, 1, 2]);
    expect(await secondsUntilCovered({ table, clock })).toBe(4);
    clock.advance(1_000_000);
    expect(await two.work(later.map(({ message }) => message))).toBe(0);
    expect(await signedOf(orgs)).toEqual(orgs.slice(0, 6));
    const rest = two.sent.take();
    expect(rest).toMatchObject([{ message: { number: 7 }, delaySeconds: 1 }]);
    clock.advance(1_000_000);
    expect(await one.work(rest.map(({ message }) => message))).toBe(0);
    expect(await signedOf(orgs)).toEqual(orgs);
  });

  it('have a number each, although containers ask at the same time', async () => {
    const containers = Array.from({ length: 8 }, () => new SignatureTurns(1));
    const places = await Promise.all(containers.map((turns) => turns.take({ table, clock }, ['next', 'next'])));
    const numbers = places.flat().map((place) => place?.number);
    expect(new Set(numbers).size).toBe(16);
  });

  it('do not keep entries from the log if they cannot be asked for', async () => {
    const [org] = newOrganizations(1) as [OrganizationId];
    const broken = faultyTable(table, ({ command, input }) =>
      command === 'Update' && JSON.stringify(input).includes('@SIGNATURES') ? 'timeout-before' : undefined,
    );
    const { work, logged } = integratorOf(broken, { clock, turns: new SignatureTurns(2) });
    expect(await work([messageOf(org)])).toBe(0);
    expect([(await readHead(table, org))?.range.size, await signedOf([org])]).toEqual([1, []]);
    expect(logged).toMatchObject([{ message: 'A log could not be published; a sweep tries again' }]);
  });
});
