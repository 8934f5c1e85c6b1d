import { describe, expect, it } from 'vitest';
import { describeAccess } from '#test/support/access.ts';
import {
  type EnvironmentsOfOrganization,
  environmentsApi,
  environmentsOfOrganization,
  onServer,
} from '#test/support/environments.ts';
import { anArtifact, fingerprintOf } from '#test/support/evidence.ts';
import { policyText, STRICT } from '#test/support/policies.ts';

const api = await environmentsApi();
const PROVENANCE = policyText('provenance: {required: true}');
const NEVER = policyText('attestations: [{type: junit, name: never}]');

const form = (payload: object, text?: string) => ({
  form: { fields: { payload: JSON.stringify(payload) }, ...(text !== undefined && { files: { policy_file: text } }) },
});

interface Tried {
  snapshot: number;
  running: number;
  compliant: number;
  changed: number;
  artifacts: { name: string; compliant_now: boolean | null; compliant: boolean; reasons: string[] }[];
}

const tried = (acme: EnvironmentsOfOrganization, text: string, { name = 'draft', environment = 'prod' } = {}) =>
  acme.call('POST', `/policies/${acme.org}/dry-run`, form({ name, environment }, text));

/** An environment where a reported and an unreported artifact run. */
async function withTwoRunning(): Promise<EnvironmentsOfOrganization> {
  const acme = await environmentsOfOrganization(api);
  await acme.begin({});
  await acme.report(anArtifact('web'));
  await acme.putEnvironment('prod');
  await acme.run('prod', onServer({ web: 'web', tool: 'tool' }));
  return acme;
}

describe('POST /policies/{org}/dry-run', () => {
  describeAccess(api, {
    method: 'POST',
    path: (org) => `/policies/${org}/dry-run`,
    request: form({ name: 'draft', environment: 'prod' }, PROVENANCE),
    needs: 'member',
  });

  it('says which verdicts a policy would change, and stores nothing', async () => {
    const acme = await withTwoRunning();
    const { status, json } = await tried(acme, PROVENANCE);
    expect(status).toBe(200);
    expect(json).toMatchObject({ environment: 'prod', snapshot: 1, running: 2, compliant: 1, changed: 2 });
    const { artifacts } = json as Tried;
    expect(artifacts).toMatchObject([
      { name: 'tool', fingerprint: fingerprintOf('tool'), compliant_now: null, compliant: false },
      { name: 'web', compliant_now: null, compliant: true, reasons: [], decision: { policy_name: 'draft' } },
    ]);
    expect(artifacts[0]?.reasons).toEqual([expect.stringMatching(/^Policy 'draft' version 1: /)]);
    expect((await acme.call('GET', `/policies/${acme.org}/draft`)).status).toBe(404);
    expect((await acme.head('prod')).index).toBe(1);
  });

  it('leaves out the attached version of the policy, and keeps the other policies and the allow-list', async () => {
    const acme = await withTwoRunning();
    await acme.putPolicy('rule', NEVER);
    await acme.putPolicy('base', PROVENANCE);
    await acme.attach('prod', 'rule', 'base');
    expect((await tried(acme, policyText(), { name: 'rule' })).json).toMatchObject({ compliant: 1, changed: 1 });
    await acme.allow('prod', 'tool');
    expect((await tried(acme, NEVER, { name: 'rule' })).json).toMatchObject({
      compliant: 1,
      changed: 0,
      artifacts: [{ name: 'web', decision: { policy_version: 2 } }, { name: 'tool' }],
    });
  });

  it('evaluates what runs in the members of a logical environment', async () => {
    const acme = await withTwoRunning();
    await acme.putEnvironment('all', 'logical', { included_environments: ['prod'] });
    const { json } = await tried(acme, STRICT, { environment: 'all' });
    expect(json).toMatchObject({ environment: 'all', running: 2, compliant: 1 });
  });

  it('answers for an environment without a report', async () => {
    const acme = await environmentsOfOrganization(api);
    await acme.putEnvironment('empty');
    const { json } = await tried(acme, STRICT, { environment: 'empty' });
    expect(json).toEqual({ environment: 'empty', snapshot: 0, running: 0, compliant: 0, changed: 0, artifacts: [] });
  });

  it('refuses what cannot be saved, field by field, and unknown environments', async () => {
    const acme = await environmentsOfOrganization(api);
    const path = `/policies/${acme.org}/dry-run`;
    const refused = async (payload: object, text?: string) => {
      const { status, json } = await acme.call('POST', path, form(payload, text));
      return [status, Object.keys((json as { errors?: object }).errors ?? {})];
    };
    expect(await refused({ environment: 'prod' }, STRICT)).toEqual([400, ['name']]);
    expect(await refused({ name: 'draft' }, STRICT)).toEqual([400, ['environment']]);
    expect(await refused({ name: 'a b', environment: 'prod' }, STRICT)).toEqual([400, ['name']]);
    expect(await refused({ name: 'draft', environment: 'prod' })).toEqual([400, ['policy_file']]);
    expect(await refused({ name: 'draft', environment: 'prod' }, 'artifacts: 1')).toEqual([
      400,
      ['_schema', 'artifacts'],
    ]);
    expect(await refused({ name: 'draft', environment: 'nope' }, STRICT)).toEqual([404, []]);
    await acme.putEnvironment('prod');
    const control = policyText('attestations: [{type: decision, for_control: SC-1}]');
    expect(await refused({ name: 'draft', environment: 'prod' }, control)).toEqual([
      400,
      ['artifacts.attestations[0].for_control'],
    ]);
  });
});
