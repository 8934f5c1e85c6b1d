import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { processEvaluation } from '#shared/evaluations/process-evaluation.ts';
import { PUBLIC_KEY } from '#test/shared/signatures/sample-key.ts';
import type { TestApi } from '#test/support/api.ts';
import {
  type EnvironmentsOfOrganization,
  environmentsOfOrganization,
  onServer,
  policyText,
} from '#test/support/environments.ts';
import { aCommit, anArtifact, aRepo } from '#test/support/evidence.ts';
import { logEverything } from '#test/support/log/exports.ts';
import { relayOf } from '#test/support/relay.ts';

const digest = (text: string) => createHash('sha256').update(text).digest('hex');
const TEMPLATE = 'version: 1\ntrail:\n  attestations:\n    - name: review\n      type: generic\n';
const POLICY = 'package policy\n\ndefault allow := true\n';

/** Makes an organization with every kind of record that an import builds. */
export async function importableOrganization(api: TestApi): Promise<EnvironmentsOfOrganization> {
  const acme = await environmentsOfOrganization(api);
  const { settle } = relayOf(api.services, acme.id);
  const send = async (method: string, path: string, json: unknown = null) => {
    const answer = await acme.call(method, path.replace('ORG', acme.org), { json });
    expect([200, 201], `${path}: ${answer.text}`).toContain(answer.status);
    return answer.json as Record<string, unknown>;
  };
  await acme.putFlow('web', TEMPLATE);
  await send('PUT', '/actions/ORG/flows', {
    name: 'team',
    type: 'flow',
    flows: ['web'],
    triggers: ['ON_ATTESTATION'],
    targets: [{ type: 'WEBHOOK', webhook: 'https://hooks.example.com/secret-path' }],
  });
  await acme.putFlow('early');
  await send('PUT', '/flows/ORG/early/rename', { new_name: 'late' });
  await acme.putFlow('old');
  await send('PUT', '/flows/ORG/old/archive');
  await send('PATCH', '/tags/ORG/flow/web', { set_tags: { team: 'a' } });
  await acme.begin({ name: 'run', description: 'first', git_commit_info: aCommit(), repo_info: aRepo() });
  await acme.begin({ name: 'run', description: 'second' });
  await acme.report(anArtifact('cli', { repo_info: aRepo() }));
  await acme.report(anArtifact('cli'), { flow: 'late', trail: 'run' });
  const long = Array.from({ length: 300 }, (_, i) => digest(String(i)));
  const files = { attachment_file: 'all tests passed' };
  await acme.attest('generic', { attestation_name: 'review', is_compliant: true, user_data: { long } }, { files });
  await acme.attest('generic', { attestation_name: 'other', is_compliant: false });
  const type = { data_json: JSON.stringify({ name: 'coverage', description: 'of lines' }) };
  await acme.call('POST', `/custom-attestation-types/${acme.org}`, { form: { fields: type } });
  await send('POST', '/controls/ORG', { identifier: 'SOX-1', name: 'Reviews' });
  await send('PUT', '/controls/ORG/SOX-1', { name: 'All reviews' });
  await send('PATCH', '/tags/ORG/control/SOX-1', { set_tags: { owner: 'a' } });
  await acme.putPolicy('strict');
  await acme.putPolicy('strict', policyText());
  await environments(acme, send);
  await settle();
  const [repo] = ((await acme.get(`/repos/${acme.org}`)).json as { repos: { id: string }[] }).repos;
  await send('PATCH', `/tags/ORG/repo/${repo?.id}`, { set_tags: { team: 'b' } });
  const expected = { name: 'prod-reports', kind: 'reports', scope: { environments: ['prod'] }, every: 'PT20M' };
  await send('PUT', '/expectations/ORG', expected);
  await send('PUT', '/expectations/ORG', { ...expected, every: 'PT30M' });
  await send('PUT', '/trust-roots/ORG/release-key', { kind: 'public-key', public_key: PUBLIC_KEY });
  await send('PUT', '/signers/ORG/release', { trust_root: 'release-key' });
  await send('PUT', '/signers/ORG/release', { trust_root: 'release-key', description: 'releases' });
  await send('PUT', '/recalls/ORG/leak', { signer: 'release', reason: 'the key leaked' });
  await send('PUT', '/recalls/ORG/leak', { signer: 'release', from: 1, reason: 'the key leaked' });
  await send('POST', '/service-accounts/ORG', { name: 'ci', privilege: 'member' });
  await send('POST', '/service-accounts/ORG/ci/api-keys', { description: 'pipeline' });
  const trust = { service_account: 'ci', preset: 'github', audience: 'x', claims: { repository_id: '74' } };
  await send('PUT', '/trusts/ORG/release', trust);
  const { id } = await send('POST', '/evaluations/ORG', {
    context: { trails: [{ flow: 'web', trail: 'run' }] },
    policy: { files: { 'policy.rego': POLICY } },
    decision: { control: 'SOX-1', flow: 'web', trail: 'run' },
  });
  expect(await processEvaluation(api.services, acme.id, String(id))).toBe('completed');
  await settle();
  await logEverything(api.services, acme.id);
  expect((await acme.get(`/trails/${acme.org}/web/run/statement`)).status).toBe(200);
  await settle();
  return acme;
}

/** Physical and logical environments with several snapshots, one renamed and one archived. */
async function environments(
  acme: EnvironmentsOfOrganization,
  send: (method: string, path: string, json?: unknown) => Promise<unknown>,
): Promise<void> {
  await acme.putEnvironment('prod', 'server', { description: 'of customers' });
  await acme.putEnvironment('early');
  await acme.putEnvironment('gone');
  await acme.putEnvironment('all', 'logical');
  await acme.attach('prod', 'strict');
  await send('PUT', '/environments/ORG/all/join', { physical_env_name: 'prod' });
  for (const env of ['prod', 'gone']) await send('PATCH', `/tags/ORG/env/${env}`, { set_tags: { tier: env } });
  await acme.run('prod', onServer({ api: 'cli', other: 'unknown' }));
  await acme.allow('prod', 'unknown');
  await acme.allow('prod', 'unknown', { description: 'known' });
  await acme.run('prod', onServer({ api: 'cli' }, 1_776_000_100));
  await acme.run('gone', onServer({ api: 'cli' }));
  await acme.run('early', onServer({ api: 'nobody' }));
  await send('PUT', '/environments/ORG/early/rename', { new_name: 'later' });
  await send('PUT', '/environments/ORG/gone/archive');
}
