import { expect, it } from 'vitest';
import { hashKey } from '#shared/base/credentials.ts';
import { newId } from '#shared/base/ids.ts';
import type { VerifiedIdentity } from '#shared/base/verified-identity.ts';
import { firstBrokenLink, readMoments } from '#shared/evidence/records/moments.ts';
import { readBesideFlow } from '#shared/evidence/records/trails.ts';
import { newKeyWrites } from '#shared/organizations/records/api-keys.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import {
  type EnvironmentsOfOrganization,
  environmentsApi,
  environmentsOfOrganization,
  onServer,
} from '#test/support/environments.ts';
import { anArtifact, fingerprintOf } from '#test/support/evidence.ts';
import { policyText } from '#test/support/policies.ts';

/** What is stored and shown of a caller whom an issuer proved (rules/identities.md#evidence-says-who). */

const api = await environmentsApi();
const { table, clock } = api.services;

const IDENTITY: VerifiedIdentity = {
  trust: 'web',
  issuer: 'https://issuer.example',
  subject: 'repo:org/web:ref:refs/heads/main',
  repository: 'org/web',
  run_id: '17',
  actor: 'sam',
  claims: { repository_id: '7' },
};
const { actor: _, ...ORIGIN } = IDENTITY;

/** Adds a key with a verified identity for the organization's member. */
async function keyWithIdentity({ org }: EnvironmentsOfOrganization): Promise<string> {
  const name = `${org}-member`;
  const user = await new Directory(table).user(name);
  if (!user) throw new Error(`${name} is not there`);
  const secret = `verified-${org}`;
  const createdAt = clock.now();
  const key = { id: newId(createdAt), hash: hashKey(secret), description: '', createdAt, expiresAt: 0 };
  const principal = { kind: 'user' as const, id: user.id, name };
  await table.transact(newKeyWrites({ ...key, principal, identity: IDENTITY }));
  return secret;
}

it('is in moments, attestations, artifacts, status entries and the audit log, and the hash covers it', async () => {
  const acme = await environmentsOfOrganization(api);
  const request = { key: await keyWithIdentity(acme) };
  await acme.begin({}, { request });
  await acme.report(anArtifact('web'), { request });
  await acme.attest('generic', { attestation_name: 'scan', is_compliant: true }, { request });
  await acme.attest('generic', { attestation_name: 'other', is_compliant: true });
  await acme.call('PUT', `/policies/${acme.org}`, {
    form: { fields: { payload: '{"name":"strict"}' }, files: { policy_file: policyText() } },
    ...request,
  });

  const page = (await acme.get(`/trails/${acme.org}/web/run/moments`)).json as { moments: { identity: unknown }[] };
  expect(page.moments.map(({ identity }) => identity)).toEqual([IDENTITY, IDENTITY, IDENTITY, null]);
  expect(await acme.named('scan')).toMatchObject([{ identity: IDENTITY, created_by: `${acme.org}-member` }]);
  expect(await acme.named('other')).toMatchObject([{ identity: null }]);
  const artifact = await acme.get(`/artifacts/${acme.org}/web/fingerprint/${fingerprintOf('web')}`);
  expect(artifact.json).toMatchObject({ identity: IDENTITY });

  const { compliance_status: status } = await acme.trail();
  expect(status.attestations_statuses).toMatchObject([{ attestation_name: 'scan', origin: ORIGIN }, {}]);
  expect(status.attestations_statuses[1]).not.toHaveProperty('origin');
  expect(status.artifacts_statuses).toMatchObject({ web: { origin: ORIGIN } });
  const before = (await acme.get(`/trails/${acme.org}/web/run`, 'moment=3')).json;
  expect(before).toMatchObject({ compliance_status: { artifacts_statuses: { web: { origin: ORIGIN } } } });

  const { flow } = await readBesideFlow(table, acme.id, 'web', async () => null);
  if (!flow) throw new Error('The flow is not there');
  const moments = await readMoments(table, acme.id, flow.id, 'run', { from: 1, to: 4 });
  expect(firstBrokenLink(acme.id, moments)).toBe(null);
  const forged = moments.map((one) => ({ ...one, body: one.body.replaceAll('org/web', 'org/owl') }));
  expect(firstBrokenLink(acme.id, forged)).toBe(1);
  expect((await acme.audited('policy.created')).map(({ actor }) => actor.identity)).toEqual([IDENTITY]);
});

it('decides in policies with reported_by', async () => {
  const acme = await environmentsOfOrganization(api);
  const request = { key: await keyWithIdentity(acme) };
  await acme.begin({});
  await acme.report(anArtifact('web'), { request });
  await acme.report(anArtifact('owl'));
  await acme.putEnvironment('prod');
  await acme.putPolicy(
    'ours',
    policyText(`provenance: {required: true, reported_by: 'identity.repository == "org/web"'}`),
  );
  await acme.attach('prod', 'ours');
  await acme.run('prod', onServer({ web: 'web', owl: 'owl' }), { request });
  expect((await acme.content('prod')).identity).toEqual(IDENTITY);
  expect([(await acme.row('prod', 'web')).compliant, (await acme.row('prod', 'owl')).compliant]).toEqual([true, false]);
});
