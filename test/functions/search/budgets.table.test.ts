import { describe, expect, it } from 'vitest';
import { artifactsGroup } from '#functions/artifacts/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { searchGroup } from '#functions/search/endpoints.ts';
import { testApi } from '#test/support/api.ts';
import { anArtifact, fingerprintOf, newOrganization, shaOf } from '#test/support/evidence.ts';
import { requestCosts } from '#test/support/table/request-costs.ts';

/** Costs of searches: sequential round trips, as the access log counts them. */

const api = await testApi([searchGroup, artifactsGroup, flowsGroup]);

const costOf = requestCosts(api);

describe('a search', () => {
  it('takes two round trips, or three if a fingerprint has more than one report', async () => {
    const acme = await newOrganization(api);
    await acme.report(anArtifact('cli'));
    await acme.report(anArtifact('lib', { git_commit: shaOf('d'), git_commit_info: undefined }));
    for (const sha of [fingerprintOf('cli'), fingerprintOf('cli').slice(0, 7), shaOf('c'), shaOf('d').slice(0, 5)]) {
      const cost = await costOf(acme, `/search/${acme.org}/sha/${sha}`);
      expect([cost.status, cost.trips]).toEqual([200, 2]);
    }
    await acme.report(anArtifact('cli'), { flow: 'other' });
    const cost = await costOf(acme, `/search/${acme.org}/sha/${fingerprintOf('cli').slice(0, 7)}`);
    expect([cost.status, cost.trips]).toEqual([200, 3]);
    const nothing = await costOf(acme, `/search/${acme.org}/sha/ffffffffff`);
    expect([nothing.status, nothing.trips]).toEqual([404, 1]);
  });
});
