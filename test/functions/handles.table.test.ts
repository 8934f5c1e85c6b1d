import { expect, it } from 'vitest';
import { groups } from '#functions/groups.ts';
import { PUBLIC_KEY } from '#test/shared/signatures/sample-key.ts';
import { newOrganization } from '#test/support/admin.ts';
import { type ApiRequest, testApi } from '#test/support/api.ts';
import { onServer } from '#test/support/environments.ts';
import { anArtifact, fingerprintOf } from '#test/support/evidence.ts';
import { STRICT } from '#test/support/policies.ts';

/** Every kind of thing that a write makes: its headers lead to it, also when the write is repeated. */

const api = await testApi(groups);
const acme = await newOrganization(api, ['controls', 'evaluations']);
const HOST = 'https://api.example/api/v2';
const FINGERPRINT = fingerprintOf('cli');
const TARGETS = [{ type: 'EMAIL', emails: ['ada@example.com'] }];
const POLICY = { 'policy.rego': 'package policy\n\ndefault allow := true\n' };

interface Write {
  send: [method: string, path: string, request: ApiRequest];
  /** Where the made thing is read; `ID` stands for its id. */
  at: string;
  /** The id, or the member of the read that holds it. */
  id: string | { in: string };
}

const attestation = (attestation_name: string): ApiRequest => ({ json: { attestation_name } });

/** In this order: later writes need what earlier ones made. */
const WRITES: Record<string, Write> = {
  flow: {
    send: ['PUT', '/flows/ORG/template_file', { form: { fields: { data_json: '{"name":"web"}' } } }],
    at: '/flows/ORG/web',
    id: 'web',
  },
  'flow in the legacy form': {
    send: ['PUT', '/flows/ORG', { json: { name: 'old' } }],
    at: '/flows/ORG/old',
    id: 'old',
  },
  trail: {
    send: ['PUT', '/trails/ORG/web', { form: { fields: { data_json: '{"name":"run~1"}' } } }],
    at: '/trails/ORG/web/run~1',
    id: 'run~1',
  },
  artifact: {
    send: ['POST', '/artifacts/ORG/web', { json: anArtifact('cli', { trail_name: 'run~1' }) }],
    at: `/artifacts/ORG/web/fingerprint/${FINGERPRINT}?trail=run~1`,
    id: { in: 'artifact_id' },
  },
  attestation: {
    send: ['POST', '/attestations/ORG/web/trail/run~1/generic', attestation('lint')],
    at: '/attestations/ORG?attestation_id=ID',
    id: { in: 'attestation_id' },
  },
  policy: {
    send: ['PUT', '/policies/ORG', { form: { fields: { payload: '{"name":"strict"}', policy_file: STRICT } } }],
    at: '/policies/ORG/strict',
    id: 'strict',
  },
  environment: {
    send: ['PUT', '/environments/ORG', { json: { name: 'prod', type: 'server' } }],
    at: '/environments/ORG/prod',
    id: 'prod',
  },
  snapshot: {
    send: ['PUT', '/environments/ORG/prod/report/server', { json: onServer({ cli: 'cli' }) }],
    at: '/snapshots/ORG/prod/1',
    id: '1',
  },
  'flow action': {
    send: ['PUT', '/actions/ORG/flows', { json: { name: 'team', triggers: ['ON_RELEASE'], targets: TARGETS } }],
    at: '/actions/ORG/1',
    id: '1',
  },
  notification: {
    send: [
      'PUT',
      '/organizations/ORG/environments_notifications',
      { json: { name: 'team', environments: ['prod'], triggers: ['ON_SCALED_ARTIFACT'], targets: TARGETS } },
    ],
    at: '/organizations/ORG/environments_notifications/2',
    id: '2',
  },
  'changed notification': {
    send: [
      'PUT',
      '/organizations/ORG/environments_notifications/2',
      { json: { name: 'other', environments: ['prod'], triggers: ['ON_SCALED_ARTIFACT'], targets: TARGETS } },
    ],
    at: '/organizations/ORG/environments_notifications/2',
    id: '2',
  },
  control: {
    send: ['POST', '/controls/ORG', { json: { identifier: 'SDLC~1', name: 'Review' } }],
    at: '/controls/ORG/SDLC~1',
    id: 'SDLC~1',
  },
  'custom type': {
    send: ['POST', '/custom-attestation-types/ORG', { form: { fields: { data_json: '{"name":"coverage"}' } } }],
    at: '/custom-attestation-types/ORG/coverage',
    id: 'coverage',
  },
  evaluation: {
    send: [
      'POST',
      '/evaluations/ORG',
      { json: { context: { trails: [{ flow: 'web', trail: 'run~1' }] }, policy: { files: POLICY } } },
    ],
    at: '/evaluations/ORG/ID',
    id: { in: 'id' },
  },
  'trust root': {
    send: ['PUT', '/trust-roots/ORG/robot-key', { json: { kind: 'public-key', public_key: PUBLIC_KEY } }],
    at: '/trust-roots/ORG/robot-key',
    id: 'robot-key',
  },
  signer: {
    send: [
      'PUT',
      '/signers/ORG/robot',
      { json: { trust_root: 'sigstore-public', issuer: 'https://ci.example', subjects: ['robot@acme.example'] } },
    ],
    at: '/signers/ORG/robot',
    id: 'robot',
  },
  recall: {
    send: ['PUT', '/recalls/ORG/leak', { json: { run: 'https://ci.example/runs/7', reason: 'a token leaked' } }],
    at: '/recalls/ORG/leak',
    id: 'leak',
  },
  watch: {
    send: ['PUT', '/watches/ORG/lodash', { json: { purl: 'pkg:npm/lodash@1.0.0' } }],
    at: '/watches/ORG/lodash',
    id: 'lodash',
  },
  expectation: {
    send: [
      'PUT',
      '/expectations/ORG',
      { json: { name: 'stage-reports', kind: 'reports', scope: { tags: { tier: '1' } }, every: 'PT20M' } },
    ],
    at: '/expectations/ORG/stage-reports',
    id: 'stage-reports',
  },
  'service account': {
    send: ['POST', '/service-accounts/ORG', { json: { name: 'robot', privilege: 'reader' } }],
    at: '/service-accounts/ORG/robot',
    id: 'robot',
  },
  key: {
    send: ['POST', '/service-accounts/ORG/robot/api-keys', { json: { description: 'laptop' } }],
    at: '/service-accounts/ORG/robot/api-keys/ID',
    id: { in: 'id' },
  },
  trust: {
    send: [
      'PUT',
      '/trusts/ORG/release',
      { json: { service_account: 'robot', preset: 'github', audience: 'a', claims: { repository_id: '74' } } },
    ],
    at: '/trusts/ORG/release',
    id: 'release',
  },
};

const handleOf = ({ headers }: { headers: Record<string, string> }) => ({
  location: headers['location'],
  id: headers['x-resource-id'],
});

it.each(Object.entries(WRITES))('the headers of a write name the %s that it made', async (name, { send, at, id }) => {
  const [method, path, request] = send;
  const again = { ...request, headers: { 'idempotency-key': `make ${name}`.replaceAll(' ', '-') } };
  const first = await acme.call(method, path, again);
  expect(first.status, first.text).toBeLessThan(300);
  const handle = handleOf(first);
  const read = await acme.call('GET', ...pathAndQuery(handle.location ?? ''));
  expect(read.status, read.text).toBe(200);
  const found = (read.json as { data?: Record<string, string>[] }).data?.[0] ?? (read.json as Record<string, string>);
  const expected = typeof id === 'string' ? id : found[id.in];
  const location = HOST + at.replace('ORG', acme.org).replace('ID', String(expected));
  expect(handle).toEqual({ location, id: expected });
  expect(handleOf(await acme.call(method, path, again))).toEqual(handle);
});

/** Splits an address of the service as the gateway does. */
function pathAndQuery(address: string): [string, ApiRequest] {
  const [path = '', query = ''] = address.slice(HOST.length).split('?');
  return [decodeURIComponent(path), { query }];
}

it('a write that makes nothing has no such headers: a report that changes nothing, a rename', async () => {
  const unchanged = await acme.call('PUT', '/environments/ORG/prod/report/server', { json: onServer({ cli: 'cli' }) });
  expect([unchanged.status, handleOf(unchanged)]).toEqual([200, {}]);
  const renamed = await acme.call('PUT', '/flows/ORG/old/rename', { json: { new_name: 'older' } });
  expect([renamed.status, handleOf(renamed)]).toEqual([200, {}]);
});

it('a repeated report of an artifact makes another record, which its headers name', async () => {
  const report = () => acme.call('POST', '/artifacts/ORG/web', { json: anArtifact('cli', { trail_name: 'run~1' }) });
  const [one, other] = [handleOf(await report()), handleOf(await report())];
  expect(one.location).toBe(other.location);
  expect(one.id).not.toBe(other.id);
});
