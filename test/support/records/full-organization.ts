import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { PUBLIC_KEY } from '#test/shared/signatures/sample-key.ts';
import type { TestApi } from '../api.ts';
import { type EnvironmentsOfOrganization, environmentsOfOrganization, onServer } from '../environments.ts';
import { aCommit, anArtifact, aRepo } from '../evidence.ts';
import { logEverything } from '../log/exports.ts';
import { relayOf } from '../relay.ts';
import { findGaps } from './gaps.ts';

const digest = (text: string) => createHash('sha256').update(text).digest('hex');

/** Everything that an organization can have, with a secret in each place that has one. */
export async function fullOrganization(api: TestApi): Promise<EnvironmentsOfOrganization & { secrets: string[] }> {
  const acme = await environmentsOfOrganization(api);
  const { settle } = relayOf(api.services, acme.id);
  const send = async (method: string, path: string, json: unknown) => {
    const answer = await acme.call(method, path.replace('ORG', acme.org), { json });
    expect([200, 201], answer.text).toContain(answer.status);
    return answer.json;
  };
  await acme.putFlow('web', 'version: 1\ntrail:\n  attestations:\n    - name: review\n      type: generic\n');
  await acme.putFlow('old');
  await send('PUT', '/flows/ORG/old/archive', null);
  await send('PUT', '/actions/ORG/flows', {
    name: 'team',
    type: 'flow',
    flows: ['web'],
    triggers: ['ON_ATTESTATION'],
    targets: [{ type: 'WEBHOOK', webhook: 'https://hooks.example.com/secret-path' }],
  });
  await acme.begin({ name: 'run', description: 'first', git_commit_info: aCommit(), repo_info: aRepo() });
  await acme.begin({ name: 'run', description: 'second' });
  await acme.report(anArtifact('cli', { repo_info: aRepo() }));
  const long = Array.from({ length: 300 }, (_, i) => digest(String(i)));
  const attachment = { files: { attachment_file: 'all tests passed' } };
  await acme.attest('generic', { attestation_name: 'review', is_compliant: true, user_data: { long } }, attachment);
  const type = { data_json: JSON.stringify({ name: 'coverage' }) };
  const created = await acme.call('POST', `/custom-attestation-types/${acme.org}`, { form: { fields: type } });
  expect(created.status, created.text).toBe(201);
  await acme.putPolicy('strict');
  await acme.putEnvironment('prod');
  await acme.attach('prod', 'strict');
  await acme.run('prod', onServer({ api: 'cli', other: 'unknown' }));
  await acme.allow('prod', 'unknown');
  await acme.putEnvironment('gone');
  await acme.run('gone', onServer({ api: 'cli' }));
  await send('PUT', '/environments/ORG/gone/archive', null);
  const expected = { name: 'prod-reports', kind: 'reports', scope: { environments: ['prod'] }, every: 'PT20M' };
  await send('PUT', '/expectations/ORG', expected);
  await findGaps(api.services, acme.id);
  await send('PUT', '/watches/ORG/lodash', { purl: 'pkg:npm/lodash', versions: 'vers:npm/<4.17.21' });
  await send('PUT', '/trust-roots/ORG/release-key', { kind: 'public-key', public_key: PUBLIC_KEY });
  await send('PUT', '/signers/ORG/release', { trust_root: 'release-key' });
  await send('PUT', '/recalls/ORG/leak', { signer: 'release', reason: 'the key leaked' });
  await send('POST', '/controls/ORG', { identifier: 'SOX-1', name: 'Reviews' });
  await send('PATCH', '/tags/ORG/flow/web', { set_tags: { team: 'a' } });
  await send('POST', '/service-accounts/ORG', { name: 'ci', privilege: 'member' });
  const trust = { service_account: 'ci', preset: 'github', audience: 'x', claims: { repository_id: '74' } };
  await send('PUT', '/trusts/ORG/release', trust);
  const key = (await send('POST', '/service-accounts/ORG/ci/api-keys', { description: 'pipeline' })) as { key: string };
  await send('POST', '/evaluations/ORG', {
    context: { trails: [{ flow: 'web', trail: 'run' }] },
    policy: { files: { 'policy.rego': 'package policy\n\ndefault allow := true\n' } },
  });
  await settle();
  await logEverything(api.services, acme.id);
  const statement = await acme.get(`/trails/${acme.org}/web/run/statement`);
  expect(statement.status, statement.text).toBe(200);
  await settle();
  const signing = (await acme.get(`/actions/${acme.org}/1/signing-secret`)).json as { secret: string };
  expect(signing.secret).toMatch(/^whsec_/);
  return {
    ...acme,
    secrets: [key.key, digest(key.key), signing.secret, 'secret-path', ...Object.values(acme.keys)],
  };
}
