import { describe, expect, it } from 'vitest';
import { assertsGroup } from '#functions/asserts/endpoints.ts';
import { snapshotsGroup } from '#functions/snapshots/endpoints.ts';
import { testApi } from '#test/support/api.ts';
import { movableClock } from '#test/support/clock.ts';
import { environmentGroups, environmentsOfOrganization, onServer } from '#test/support/environments.ts';
import { anArtifact, fingerprintOf } from '#test/support/evidence.ts';
import { POLICY_HEADER, policyText } from '#test/support/policies.ts';

const MINUTE = 60_000_000;
const clock = movableClock();
const api = await testApi([...environmentGroups, snapshotsGroup, assertsGroup], { clock });

const STRICT_AND_HEARD = `${POLICY_HEADER}max_silence: PT20M\nartifacts: {provenance: {required: true}}\n`;
const WEB = fingerprintOf('web');

/** An organization in which `prod` runs an artifact that its policy accepts. */
async function acmeHeard(text: string) {
  const acme = await environmentsOfOrganization(api);
  await acme.putEnvironment('prod');
  await acme.putPolicy('heard', text);
  await acme.attach('prod', 'heard');
  await acme.report(anArtifact('web'));
  expect((await acme.run('prod', onServer({ web: 'web' }))).status).toBe(201);
  const read = async (path: string, query?: string) => (await acme.get(path, query)).json as Record<string, unknown>;
  const { org } = acme;
  return {
    acme,
    environment: () => read(`/environments/${org}/prod`),
    listed: (query = '') => read(`/environments/${org}`, query),
    snapshot: (which = '-1') => read(`/snapshots/${org}/prod/${which}`),
    rows: () => read(`/snapshots/${org}/prod/-1/artifacts`),
    asserted: (query = 'environment_name=prod') => read(`/asserts/${org}/fingerprint/${WEB}`, query),
    everywhere: () => read(`/asserts/${org}/fingerprint/${WEB}/environments`),
  };
}

describe('max_silence of a policy', () => {
  it('makes the environment unknown wherever its verdict is read, until it reports again', async () => {
    const { acme, environment, listed, snapshot, rows, asserted, everywhere } = await acmeHeard(STRICT_AND_HEARD);
    const { last_reported_at: last } = await environment();
    const end = Number(last) + 20 * 60;
    expect(await environment()).toMatchObject({ state: true, state_reason: null });
    expect(await asserted()).toMatchObject({ compliant: true, state: true, state_reason: null, fresh_until: end });
    expect(await everywhere()).toMatchObject({ environments: [{ compliant: true, fresh_until: end }] });

    clock.advance(26 * 60 * MINUTE);
    const reason = expect.stringMatching(/^No report since 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const silent = { state: null, state_reason: reason };
    expect(await environment()).toMatchObject(silent);
    expect(await listed()).toMatchObject([silent]);
    expect(await listed('sort=state&page=1')).toMatchObject({ environments: [silent] });
    expect(await snapshot()).toMatchObject({ compliant: false, ...silent });
    expect(await snapshot('1')).toMatchObject({ compliant: false, ...silent });
    expect(await rows()).toMatchObject({ ...silent, artifacts: [{ state: true }] });
    expect(await asserted()).toMatchObject({ compliant: false, ...silent, fresh_until: null });
    expect(await everywhere()).toMatchObject({
      environments: [{ compliant: null, fresh_until: null, decided_by: 'policies', reasons: [reason] }],
    });
    const { reasons } = (await asserted('environment_name=prod&reasons=chain')) as { reasons: { says: string }[] };
    expect(reasons[0]?.says).toMatch(/^prod is unknown: No report since /);
    // Whoever asks for an instant gets the verdict of that time.
    expect(await snapshot('@{1.hours.ago}')).toMatchObject({ compliant: true, state: true });
    // Named policies decide about the artifact, not about an environment.
    expect(await asserted('policy_name=heard')).toMatchObject({ compliant: true, fresh_until: null });

    expect((await acme.run('prod', onServer({ web: 'web' }))).status).toBe(200);
    expect(await environment()).toMatchObject({ state: true, state_reason: null });
    expect(await snapshot()).toMatchObject({ index: 1, compliant: true, state: true });
  });

  it('counts at once in a new version of a policy, also if the reporter is dead already', async () => {
    const { acme, environment, asserted } = await acmeHeard(policyText('provenance: {required: true}'));
    clock.advance(60 * MINUTE);
    expect(await environment()).toMatchObject({ state: true });
    await acme.putPolicy('heard', STRICT_AND_HEARD);
    expect(await environment()).toMatchObject({ state: null });
    expect((await asserted())['compliant']).toBe(false);
    // An artifact that people allowed is accepted, so that a repair can be deployed.
    await acme.allow('prod', 'web');
    expect(await asserted()).toMatchObject({ compliant: true, state: true, fresh_until: null });
    await acme.putPolicy('heard', policyText('provenance: {required: true}'));
    expect(await environment()).toMatchObject({ state: true });
  });

  it('makes a logical environment unknown if a member is silent, and names the member', async () => {
    const { acme, listed } = await acmeHeard(policyText('provenance: {required: true}'));
    await acme.putEnvironment('all', 'logical', { included_environments: ['prod'] });
    await acme.putPolicy('group', STRICT_AND_HEARD);
    await acme.attach('all', 'group');
    clock.advance(21 * MINUTE);
    const { json } = await acme.get(`/environments/${acme.org}/all`);
    const silent = { state: null, state_reason: expect.stringMatching(/^No report of 'prod' since 20/) };
    expect(json).toMatchObject(silent);
    expect(await listed()).toMatchObject([silent, { name: 'prod', state: true, state_reason: null }]);
  });

  it('refuses what is no duration in its range', async () => {
    const { acme } = await acmeHeard(STRICT_AND_HEARD);
    const { status, json } = await acme.putPolicy('heard', `${POLICY_HEADER}max_silence: PT4M\n`);
    expect([status, json]).toMatchObject([
      400,
      { errors: { max_silence: 'Should be from PT5M to P400D [input: PT4M]' } },
    ]);
  });
});
