import { expect } from 'vitest';
import type { TestApi } from '#test/support/api.ts';
import { GAP_MINUTE, sweepsOf } from './gap-sweeps.ts';
import { organizationOfKinds } from './kinds-api.ts';

const SECOND = 1_000_000;

/** A gap as a list shows it. */
export type ShownGap = Record<string, unknown> & {
  id: string;
  subject: Record<string, string>;
  from: number;
  until: number | null;
};

/** An organization of kinds with its sweeps, for expectations that something becomes as it has to be once. */
export async function organizationOfOnce(api: TestApi) {
  const kinds = await organizationOfKinds(api);
  const { acme, send } = kinds;
  const { clock } = api.services;
  const sweeps = sweepsOf(api.services, acme.id);
  const gaps = async (query = '') => {
    const { json } = await acme.get(`/gaps/${acme.org}`, query);
    // The body of a list of gaps.
    return (json as { gaps: ShownGap[] }).gaps;
  };
  return {
    ...kinds,
    sweeps,
    gaps,
    put: (fields: object) => send('PUT', '/expectations/ORG', { every: 'PT20M', grace: 'PT2M', ...fields }),
    /** Lets time pass with a sweep in each minute, from which on no minute is unknown. */
    pass: async (minutes: number) => {
      for (let minute = 0; minute < minutes; minute += 1) {
        // However slow the machine is, each minute gets its sweep.
        clock.advance(GAP_MINUTE - (clock.now() % GAP_MINUTE) + SECOND);
        await sweeps.sweep();
      }
    },
    /** Plays the terms of an expectation since its beginning: the dry run has to list exactly the gaps that the looks found. */
    expectDryRunToAgree: async (name: string) => {
      const { json } = await acme.get(`/expectations/${acme.org}/${name}`);
      const { kind, scope, every, grace, control, starts_at: from } = json as Record<string, unknown>;
      const terms = { name, kind, scope, every, grace, from, ...(control !== undefined && { control }) };
      const played = await send('POST', '/expectations/ORG/dry-run', terms);
      const lines = (found: readonly ShownGap[]) =>
        found.map((one) => JSON.stringify([one.subject, one.from, one.until])).toSorted();
      const { gaps: wouldBe } = played.json as { gaps: ShownGap[] };
      // The dry run does not know when the service itself did not run.
      const known = (await gaps(`expectation=${name}`)).filter(({ state }) => state !== 'unknown');
      expect(lines(known)).toEqual(lines(wouldBe));
    },
  };
}
