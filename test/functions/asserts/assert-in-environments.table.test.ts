import { describe, expect, it, vi } from 'vitest';
import { environmentHeadKey } from '#shared/environments/records/keys.ts';
import { describeAccess } from '#test/support/access.ts';
import { anArtifact, fingerprintOf, invalidFields, refusal } from '#test/support/evidence.ts';
import { policyText } from '#test/support/policies.ts';
import { readingOrganization, snapshotsApi } from '../snapshots/snapshots-api.ts';

const api = await snapshotsApi();
const APP = fingerprintOf('app');

interface Verdict {
  environment: string;
  compliant: boolean | null;
  decided_by: string | null;
  reasons: string[];
}

const pathOf = (org: string, fingerprint: string = APP) => `/asserts/${org}/fingerprint/${fingerprint}/environments`;

/** The environments `free` (no policies), `lax`, `strict` and `trusting`, which allows the artifact `app`. */
async function withEnvironments() {
  const acme = await readingOrganization(api);
  await acme.putPolicy('lax', '_schema: https://x.example/v1');
  await acme.putPolicy('strict', policyText('trail-compliance: {required: true}'));
  for (const name of ['trusting', 'strict', 'lax', 'free']) await acme.putEnvironment(name);
  await acme.attach('lax', 'lax');
  for (const name of ['strict', 'trusting']) await acme.attach(name, 'strict');
  await acme.allow('trusting', 'app');
  const ask = (query = '', fingerprint: string = APP) => acme.get(pathOf(acme.org, fingerprint), query);
  const verdicts = async (fingerprint: string = APP) =>
    ((await ask('', fingerprint)).json as { environments: Verdict[] }).environments.map((verdict) => [
      ...[verdict.environment, verdict.compliant, verdict.decided_by],
    ]);
  return { acme, ask, verdicts };
}

describe('GET /asserts/{org}/fingerprint/{fingerprint}/environments', () => {
  describeAccess(api, { method: 'GET', path: pathOf, needs: 'reader' });

  it('judges the artifact in each environment as a single assert does, and says why it is not compliant', async () => {
    const { acme, ask } = await withEnvironments();
    await acme.report(anArtifact('app'));
    await acme.attest('generic', { attestation_name: 'unit', artifact_fingerprint: APP, is_compliant: false });
    const { json } = await ask();
    const page = (name: string) => `https://api.example/${acme.org}/environments/${name}`;
    const common = (environment: string) => ({ environment, type: 'server', html_url: page(environment) });
    const strict = { policy_name: 'strict', policy_version: 1, status: 'NON-COMPLIANT' };
    const where = "(flow 'web', trail 'run')";
    expect(json).toMatchObject({
      fingerprint: APP,
      total_count: 4,
      flows: [{ flow: 'web', trail: 'run', compliant: false }],
      environments: [
        {
          ...common('free'),
          compliant: false,
          decided_by: 'flows',
          policies: [],
          reasons: [expect.stringMatching(/'unit'.* \(flow 'web', trail 'run'\)$/)],
        },
        {
          ...common('lax'),
          compliant: true,
          decided_by: 'policies',
          policies: [{ policy_name: 'lax', policy_version: 1, status: 'COMPLIANT' }],
          reasons: [],
        },
        {
          ...common('strict'),
          compliant: false,
          decided_by: 'policies',
          policies: [strict],
          reasons: [
            `Policy 'strict' version 1: the artifact is not compliant in its trail ${where}: Attestation 'unit' of type 'generic' is non-compliant`,
          ],
        },
        { ...common('trusting'), compliant: true, decided_by: 'allow_list', policies: [strict], reasons: [] },
      ],
    });
    for (const { environment, compliant } of (json as { environments: Verdict[] }).environments) {
      const single = await acme.get(`/asserts/${acme.org}/fingerprint/${APP}`, `environment_name=${environment}`);
      expect(single.json).toMatchObject({ compliant });
    }
  });

  it('gives each environment its own reasons: the gap of the trail, or what only its policy asks for', async () => {
    const { acme, ask } = await withEnvironments();
    await acme.putPolicy('tested', policyText('attestations: [{type: generic, name: pentest}]'));
    await acme.attach('free', 'tested');
    await acme.report(anArtifact('app'));
    await acme.attest('generic', { attestation_name: 'unit', artifact_fingerprint: APP, is_compliant: false });
    const { environments } = (await ask()).json as { environments: Verdict[] };
    const reasons = Object.fromEntries(environments.map((verdict) => [verdict.environment, verdict.reasons]));
    expect(reasons['strict']).toEqual([expect.stringMatching(/^Policy 'strict'.*: Attestation 'unit'/)]);
    expect(reasons['free']).toEqual([
      "Policy 'tested' version 1: an attestation 'pentest' of type 'generic' is missing (flow 'web', trail 'run')",
    ]);
  });

  it('names who overrode what the verdict rests on, when and why', async () => {
    const { acme, ask } = await withEnvironments();
    await acme.report(anArtifact('app'));
    const about = { attestation_name: 'scan', artifact_fingerprint: APP };
    await acme.attest('generic', { ...about, is_compliant: false });
    expect(await ask()).toMatchObject({ json: { overrides: [] } });
    const override = { reason: 'False positive', new_compliance_status: true, original_attestation_type: 'generic' };
    const sent = await acme.call('POST', `/attestations/${acme.org}/web/trail/run/override`, {
      json: { ...about, ...override },
    });
    expect(sent.status).toBe(201);
    const { json } = await ask();
    expect(json).toMatchObject({
      overrides: [
        {
          attestation_id: expect.any(String),
          ...{ attestation_name: 'scan', flow: 'web', trail: 'run', reason: 'False positive' },
          ...{ is_compliant: true, original_is_compliant: false },
          ...{ created_by: expect.any(String), created_at: expect.any(Number) },
        },
      ],
    });
    expect((api.entries.at(-1) as unknown as Record<string, number>)['aws_sequential']).toBeLessThanOrEqual(5);
  });

  it('judges an artifact that nobody reported by policies and allow-lists, and else answers null', async () => {
    const { ask, verdicts } = await withEnvironments();
    expect(await verdicts()).toEqual([
      ['free', null, null],
      ['lax', true, 'policies'],
      ['strict', false, 'policies'],
      ['trusting', true, 'allow_list'],
    ]);
    expect(await ask()).toMatchObject({ status: 200, json: { flows: [] } });
  });

  it('takes a prefix of a reported artifact, and answers 404 for any other text', async () => {
    const { acme, ask, verdicts } = await withEnvironments();
    await acme.report(anArtifact('app'));
    expect(await verdicts(APP.slice(0, 7))).toHaveLength(4);
    for (const text of ['abcdef', 'x', 'A'.repeat(64)]) {
      expect((await ask('', text)).status).toBe(404);
    }
  });

  it('has pages by name, and leaves archived environments out', async () => {
    const { acme, ask } = await withEnvironments();
    await acme.call('PUT', `/environments/${acme.org}/lax/archive`, { text: 'null' });
    const { json } = await ask('per_page=2&page=2');
    expect(json).toMatchObject({
      page: 2,
      total_pages: 2,
      total_count: 3,
      environments: [{ environment: 'trusting' }],
    });
    expect(refusal(await ask('per_page=101&page=0'))).toEqual(
      invalidFields({
        'query.page': 'Input should be greater than or equal to 1 [input: 0]',
        'query.per_page': 'Input should be less than or equal to 100 [input: 101]',
      }),
    );
  });

  it('shows an environment that cannot be read without a verdict', async () => {
    const { acme, verdicts } = await withEnvironments();
    const { id } = await acme.head('lax');
    await api.services.table.put({ ...environmentHeadKey(acme.id, id), v: 1, name: 'lax', members: 'nonsense' });
    const log = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const shown = await verdicts();
    log.mockRestore();
    expect(shown[1]).toEqual(['lax', null, null]);
  });

  it('takes at most five sequential calls', async () => {
    const { acme, ask } = await withEnvironments();
    await acme.report(anArtifact('app'));
    await ask();
    expect((api.entries.at(-1) as unknown as Record<string, number>)['aws_sequential']).toBeLessThanOrEqual(5);
  });
});
