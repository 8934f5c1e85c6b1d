import { afterAll, beforeAll, expect, it } from 'vitest';
import { serviceAccountsGroup } from '#functions/service-accounts/endpoints.ts';
import { tokenGroup } from '#functions/token/endpoints.ts';
import { readMoment } from '#shared/evidence/records/moments.ts';
import { readBesideFlow } from '#shared/evidence/records/trails.ts';
import { addressGuard } from '#shared/outgoing/address-guard.ts';
import { testApi } from '#test/support/api.ts';
import { environmentGroups, environmentsOfOrganization, onServer } from '#test/support/environments.ts';
import { anArtifact, fingerprintOf } from '#test/support/evidence.ts';
import { LOOPBACK, startIssuer, type TestIssuer } from '#test/support/identity/issuer.ts';
import { keyWithIdentity } from '#test/support/identity/key-with-identity.ts';
import { testName } from '#test/support/ids.ts';
import { policyText } from '#test/support/policies.ts';
import { momentItems } from '#test/support/trails.ts';

/** What is stored and shown of a caller whom an issuer proved (rules/identities.md#evidence-says-who). */

const api = await testApi([...environmentGroups, serviceAccountsGroup, tokenGroup]);
api.services.guard = addressGuard(LOOPBACK);
const { table } = api.services;

let issuer: TestIssuer;
beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.stop());

it('is in moments, attestations, artifacts, status entries and the audit log, and the hash covers it', async () => {
  const acme = await environmentsOfOrganization(api);
  const { request, identity, origin } = await keyWithIdentity(api, acme, issuer);
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

  const { flow } = await readBesideFlow(table, acme.id, testName('web'), async () => null);
  if (!flow) throw new Error('The flow is not there');
  const [first] = await momentItems(table, acme.id, flow.id, 'run');
  if (!first) throw new Error('The trail has moments');
  expect(readMoment(first).content.by.identity).toEqual(identity);
  const forged = { ...first, body: String(first['body']).replaceAll('acme/web', 'acme/owl') };
  expect(() => readMoment(forged)).toThrow('differs from what was accepted');
  expect((await acme.audited('policy.created')).map(({ actor }) => actor.identity)).toEqual([identity]);
});

it('decides in policies with reported_by', async () => {
  const acme = await environmentsOfOrganization(api);
  const { request, identity } = await keyWithIdentity(api, acme, issuer);
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
