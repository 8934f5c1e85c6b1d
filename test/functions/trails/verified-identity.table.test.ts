import { afterAll, beforeAll, expect, it } from 'vitest';
import { serviceAccountsGroup } from '#functions/service-accounts/endpoints.ts';
import { firstBrokenLink, readMoments } from '#shared/evidence/records/moments.ts';
import { readBesideFlow } from '#shared/evidence/records/trails.ts';
import { addressGuard } from '#shared/outgoing/address-guard.ts';
import { testApi } from '#test/support/api.ts';
import { GITHUB_CLAIMS } from '#test/support/ci-claims.ts';
import {
  type EnvironmentsOfOrganization,
  environmentGroups,
  environmentsOfOrganization,
  onServer,
} from '#test/support/environments.ts';
import { anArtifact, fingerprintOf } from '#test/support/evidence.ts';
import { LOOPBACK, startIssuer, type TestIssuer } from '#test/support/issuer.ts';
import { policyText } from '#test/support/policies.ts';

/** What is stored and shown of a caller whom an issuer proved (rules/identities.md#evidence-says-who). */

const api = await testApi([...environmentGroups, serviceAccountsGroup]);
api.services.guard = addressGuard(LOOPBACK);
const { table, clock } = api.services;
const AUDIENCE = 'https://evidence.example.com';

let issuer: TestIssuer;
beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.stop());

/** Exchanges a token of the issuer for a key of a new service account, and returns the key with its identity. */
async function keyWithIdentity({ org, call }: EnvironmentsOfOrganization) {
  await call('POST', `/service-accounts/${org}`, { json: { name: 'ci', privilege: 'member' } });
  const claims = { repository: 'acme/web', repository_id: '74' };
  const trust = { service_account: 'ci', preset: 'github', issuer: issuer.url, audience: AUDIENCE, claims };
  const { status, text } = await call('PUT', `/trusts/${org}/web`, { json: trust });
  if (status !== 201) throw new Error(text);
  const token = await issuer.token({ ...GITHUB_CLAIMS, aud: AUDIENCE }, clock.now() / 1e6);
  const answer = await api.call('POST', `/token/${org}`, {
    json: {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
      subject_token: token,
    },
  });
  const { access_token: key } = answer.json as { access_token: string };
  const { actor, repository, run_id } = GITHUB_CLAIMS;
  const identity = expect.objectContaining({ trust: 'web', issuer: issuer.url, actor, repository, run_id, claims });
  const origin = expect.objectContaining({ trust: 'web', repository, run_id });
  return { request: { key }, identity, origin };
}

it('is in moments, attestations, artifacts, status entries and the audit log, and the hash covers it', async () => {
  const acme = await environmentsOfOrganization(api);
  const { request, identity, origin } = await keyWithIdentity(acme);
  await acme.begin({}, { request });
  await acme.report(anArtifact('web'), { request });
  await acme.attest('generic', { attestation_name: 'scan', is_compliant: true }, { request });
  await acme.attest('generic', { attestation_name: 'other', is_compliant: true });
  await acme.call('PUT', `/policies/${acme.org}`, {
    form: { fields: { payload: '{"name":"strict"}' }, files: { policy_file: policyText() } },
    ...request,
  });

  const page = (await acme.get(`/trails/${acme.org}/web/run/moments`)).json as { moments: { identity: unknown }[] };
  expect(page.moments.map((moment) => moment.identity)).toEqual([identity, identity, identity, null]);
  expect(await acme.named('scan')).toMatchObject([{ identity, created_by: 'ci' }]);
  expect(await acme.named('other')).toMatchObject([{ identity: null }]);
  const artifact = await acme.get(`/artifacts/${acme.org}/web/fingerprint/${fingerprintOf('web')}`);
  expect(artifact.json).toMatchObject({ identity });

  const { compliance_status: status } = await acme.trail();
  expect(status.attestations_statuses).toMatchObject([{ attestation_name: 'scan', origin }, {}]);
  expect(status.attestations_statuses[0]).not.toHaveProperty('origin.actor');
  expect(status.attestations_statuses[1]).not.toHaveProperty('origin');
  expect(status.artifacts_statuses).toMatchObject({ web: { origin } });
  const before = (await acme.get(`/trails/${acme.org}/web/run`, 'moment=3')).json;
  expect(before).toMatchObject({ compliance_status: { artifacts_statuses: { web: { origin } } } });

  const { flow } = await readBesideFlow(table, acme.id, 'web', async () => null);
  if (!flow) throw new Error('The flow is not there');
  const moments = await readMoments(table, acme.id, flow.id, 'run', { from: 1, to: 4 });
  expect(firstBrokenLink(acme.id, moments)).toBe(null);
  const forged = moments.map((one) => ({ ...one, body: one.body.replaceAll('acme/web', 'acme/owl') }));
  expect(firstBrokenLink(acme.id, forged)).toBe(1);
  expect((await acme.audited('policy.created')).map(({ actor }) => actor.identity)).toEqual([identity]);
});

it('decides in policies with reported_by', async () => {
  const acme = await environmentsOfOrganization(api);
  const { request, identity } = await keyWithIdentity(acme);
  await acme.begin({});
  await acme.report(anArtifact('web'), { request });
  await acme.report(anArtifact('owl'));
  await acme.putEnvironment('prod');
  await acme.putPolicy(
    'ours',
    policyText(`provenance: {required: true, reported_by: 'identity.repository == "acme/web"'}`),
  );
  await acme.attach('prod', 'ours');
  await acme.run('prod', onServer({ web: 'web', owl: 'owl' }), { request });
  expect((await acme.content('prod')).identity).toEqual(identity);
  expect([(await acme.row('prod', 'web')).compliant, (await acme.row('prod', 'owl')).compliant]).toEqual([true, false]);
});
