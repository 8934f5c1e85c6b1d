import { describe, expect, it } from 'vitest';
import { MOST_OPEN } from '#shared/agents/rules/draft.ts';
import { callTool, sendModern } from '#test/functions/mcp/agents-api.ts';
import { signInWith } from '#test/functions/user/sessions-api.ts';
import { DENIED, refusal } from '#test/support/admin.ts';
import { type EnvironmentsOfOrganization, environmentsOfOrganization } from '#test/support/environments.ts';
import { anArtifact, fingerprintOf } from '#test/support/evidence.ts';
import type { TestAnswer } from '#test/support/gateway.ts';
import { policyText } from '#test/support/policies.ts';
import { type DraftJson, drafted, draftsApi, idOf } from './drafts-api.ts';

const api = await draftsApi();
const signIn = signInWith(api);
const acme = await environmentsOfOrganization(api);
await acme.report(anArtifact('app'));
const robot = await keyOfRobot(acme);
const member = await signIn(acme.keys.member);
const admin = await signIn(acme.keys.admin);
const reader = await signIn(acme.keys.reader);

const NOT_FOUND = [404, { message: 'Draft not found' }];
const NO_KEYS = [403, { message: 'Only a person who is signed in with a browser can confirm or discard a draft' }];
const [OLD, NEW] = [policyText('trail-compliance: {required: true}'), policyText('provenance: {required: true}')];
const SCAN = { flow: 'web', trail: 'run', attestation_name: 'scan' };

/** A key of a service account that may only read. */
async function keyOfRobot({ org, call }: EnvironmentsOfOrganization): Promise<string> {
  await call('POST', `/service-accounts/${org}`, { json: { name: 'robot', privilege: 'reader' } });
  const issued = await call('POST', `/service-accounts/${org}/robot/api-keys`, { json: { description: 'agent' } });
  return (issued.json as { key: string }).key;
}

const draft = (tool: string, args: object, key = acme.keys.member) => drafted(api, acme.org, key, tool, args);
const read = async (path: string, by = member) => (await by.call('GET', path)).json as DraftJson;
const confirm = (path: string, by = member) => by.call('POST', `${path}/confirm`);
const message = ({ json }: TestAnswer) => (json as { message: string }).message;

describe('POST /drafts/{org}/{draft_id}/confirm', () => {
  it('makes a version of a policy, names who confirmed and which agent drafted, and makes nothing a second time', async () => {
    await acme.putPolicy('strict', OLD);
    const path = await draft('draft_policy', { name: 'strict', policy: NEW, comment: 'Know where it comes from' });
    expect(await read(path)).toMatchObject({
      state: 'open',
      subject: 'strict',
      problem: null,
      request: {
        method: 'PUT',
        path: `/policies/${acme.org}`,
        body: { payload: { name: 'strict', comment: 'Know where it comes from' }, policy_file: NEW },
      },
      changes: [
        { field: 'policy', present: OLD, proposed: NEW },
        { field: 'comment', present: null, proposed: 'Know where it comes from' },
      ],
      made: null,
    });
    const made = { type: 'policy', name: 'strict', version: 2 };
    const answer = await confirm(path);
    expect(refusal(answer)).toEqual([200, { ...made, html_url: expect.stringMatching(/\/policies\/strict$/) }]);
    const { versions } = (await acme.get(`/policies/${acme.org}/strict`)).json as { versions: object[] };
    expect(versions[1]).toMatchObject({ policy_yaml: NEW, created_by: `${acme.org}-member` });

    const again = await confirm(path);
    expect(again.status).toBe(409);
    expect(message(again)).toMatch(
      new RegExp(`^${acme.org}-member confirmed this draft at .*It made version 2 of the policy strict: /`),
    );
    expect(await read(path)).toMatchObject({ state: 'confirmed', changes: [], made, ended_by: `${acme.org}-member` });
    const [entry, ...others] = await acme.audited('draft.confirmed');
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      actor: { name: `${acme.org}-member` },
      after: { kind: 'policy', made: { version: 2 }, drafted_by: `${acme.org}-member`, agent: null },
    });
    expect(await acme.audited('policy.changed')).toHaveLength(1);
  });

  it('reports an attestation of an artifact, and says which agent drafted it', async () => {
    const args = {
      ...SCAN,
      artifact_fingerprint: fingerprintOf('app'),
      is_compliant: true,
      description: 'Looked at by hand',
    };
    const { json } = await sendModern(
      api,
      'tools/call',
      { name: 'draft_attestation', arguments: { org: acme.org, ...args } },
      { key: acme.keys.member },
    );
    const path = `/drafts/${acme.org}/${idOf(json.result as never)}`;
    expect(await acme.named('scan')).toEqual([]);
    expect(await read(path)).toMatchObject({
      agent: 'test',
      changes: [{ field: 'is_compliant' }, { field: 'description' }],
    });
    const { made } = { made: (await confirm(path)).json as { name: string; html_url: string } };
    expect(made.html_url).toContain(`/flows/web/trails/run?attestation_id=${made.name}`);
    expect(await acme.named('scan')).toMatchObject([
      { attestation_id: made.name, description: 'Looked at by hand', created_by: `${acme.org}-member` },
    ]);
    expect((await acme.audited('draft.confirmed')).at(-1)).toMatchObject({ after: { agent: 'test' } });
  });

  it('overrides the attestation that the person saw, and no later one', async () => {
    const lint = { flow: 'web', trail: 'run', attestation_name: 'lint' };
    const override = {
      ...lint,
      original_attestation_type: 'generic',
      new_compliance_status: true,
      reason: 'A false alarm',
    };
    await acme.attest('generic', { attestation_name: 'lint', is_compliant: false });
    const [first, second] = [await draft('draft_override', override), await draft('draft_override', override)];
    expect((await read(first)).changes).toEqual([
      { field: 'is_compliant', present: 'false', proposed: 'true' },
      { field: 'reason', present: null, proposed: 'A false alarm' },
    ]);
    expect((await confirm(first)).status).toBe(200);
    expect(await read(second)).toMatchObject({ problem: expect.stringContaining('has changed') });
    const answer = await confirm(second);
    expect([answer.status, message(answer)]).toEqual([409, expect.stringContaining('lint')]);
    expect(await acme.named('lint')).toHaveLength(2);
  });

  it('saves an expectation, and refuses one that changed since', async () => {
    await acme.putEnvironment('prod');
    const alive = { name: 'alive', kind: 'reports', every: 'PT1H', scope: { environments: ['prod'] } };
    const [first, second] = [
      await draft('draft_expectation', alive),
      await draft('draft_expectation', { ...alive, every: 'PT2H' }),
    ];
    expect((await read(second)).changes).toContainEqual({ field: 'every', present: null, proposed: 'PT2H' });
    expect(refusal(await confirm(first))).toEqual([
      200,
      expect.objectContaining({ type: 'expectation', name: 'alive', version: 1 }),
    ]);
    expect((await confirm(second)).status).toBe(409);
    const kept = await acme.get(`/expectations/${acme.org}/alive`);
    expect(kept.json).toMatchObject({ every: 'PT1H', version: 1 });
  });

  it('makes one version if two tabs confirm at the same time', async () => {
    const path = await draft('draft_policy', { name: 'raced', policy: NEW });
    const answers = await Promise.all([confirm(path), confirm(path), confirm(path)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    for (const answer of answers.filter(({ status }) => status === 409)) expect(message(answer)).toContain('confirmed');
    const { versions } = (await acme.get(`/policies/${acme.org}/raced`)).json as { versions: object[] };
    expect(versions).toHaveLength(1);
  });

  it('answers a request with the same Idempotency-Key as the first time', async () => {
    const path = await draft('draft_policy', { name: 'twice', policy: NEW });
    const { csrfToken } = member;
    const headers = { 'sec-fetch-site': 'same-origin', 'x-csrf-token': csrfToken, 'idempotency-key': 'one' };
    const [first, second] = [
      await member.call('POST', `${path}/confirm`, { headers }),
      await member.call('POST', `${path}/confirm`, { headers }),
    ];
    expect(refusal(second)).toEqual(refusal(first));
    expect(first.status).toBe(200);
  });

  it('is for the person who drafted, and with a service account for every member; keys confirm nothing', async () => {
    const own = await draft('draft_policy', { name: 'own', policy: NEW });
    const shared = await draft('draft_policy', { name: 'shared', policy: NEW }, robot);
    const stranger = await environmentsOfOrganization(api);
    expect(refusal(await confirm(own, admin))).toEqual(NOT_FOUND);
    expect(refusal(await admin.call('GET', own))).toEqual(NOT_FOUND);
    expect(refusal(await admin.call('DELETE', own))).toEqual(NOT_FOUND);
    expect(refusal(await confirm(shared, reader))).toEqual(DENIED);
    expect(refusal(await confirm(shared, await signIn(robot)))).toEqual(DENIED);
    expect(refusal(await api.call('POST', `${own}/confirm`, { key: acme.keys.member }))).toEqual(NO_KEYS);
    expect(refusal(await api.call('POST', `${own}/confirm`, { key: stranger.keys.admin }))).toEqual(DENIED);
    expect((await api.call('POST', `${own}/confirm`)).status).toBe(401);
    expect((await confirm(shared, admin)).status).toBe(200);
    expect(refusal(await confirm(`/drafts/${acme.org}/none`))).toEqual(NOT_FOUND);
    const [entry] = (await acme.audited('draft.confirmed')).slice(-1);
    expect(entry).toMatchObject({ actor: { name: `${acme.org}-admin` }, after: { drafted_by: 'robot' } });
  });

  it('says what the normal endpoint would refuse by then', async () => {
    await acme.putFlow('short');
    await acme.begin({ name: 'one' }, { flow: 'short' });
    const path = await draft('draft_attestation', {
      flow: 'short',
      trail: 'one',
      attestation_name: 'a',
      is_compliant: true,
    });
    await acme.call('PUT', `/flows/${acme.org}/short/archive`);
    expect((await read(path)).problem).toContain("Flow named 'short' does not exist");
    expect((await confirm(path)).status).toBe(409);
    expect((await acme.get(`/flows/${acme.org}/short`)).status).toBe(404);
  });
});

describe('DELETE /drafts/{org}/{draft_id}', () => {
  it('ends a draft without a write', async () => {
    const path = await draft('draft_policy', { name: 'never', policy: NEW });
    expect(refusal(await api.call('DELETE', path, { key: acme.keys.member }))).toEqual(NO_KEYS);
    expect(refusal(await member.call('DELETE', path))).toEqual([200, 'OK']);
    expect(message(await confirm(path))).toContain('discarded this draft');
    expect((await member.call('DELETE', path)).status).toBe(409);
    expect(await read(path)).toMatchObject({ state: 'discarded', made: null });
    expect((await acme.get(`/policies/${acme.org}/never`)).status).toBe(404);
  });
});

describe('tools that draft', () => {
  const refusalOf = async (tool: string, args: object, key = acme.keys.member) => {
    const { isError, content } = await callTool(api, key, tool, { org: acme.org, ...args });
    return [isError, content[0]?.text];
  };

  it.each([
    ['draft_policy', { name: 'p', policy: 'version: 2' }, 'version'],
    [
      'draft_policy',
      { name: 'p', policy: policyText('{attestations: [{type: decision, for_control: none}]}') },
      'none',
    ],
    ['draft_policy', { name: 'p', policy: OLD, owner: 'me' }, 'owner'],
    ['draft_attestation', { ...SCAN, trail: 'none', is_compliant: true }, "Trail with name 'none'"],
    ['draft_attestation', { ...SCAN, flow: 'none', is_compliant: true }, "Flow named 'none'"],
    ['draft_attestation', { ...SCAN, artifact_fingerprint: fingerprintOf('x'), is_compliant: true }, 'fingerprint'],
    ['draft_attestation', SCAN, 'is_compliant'],
    ['draft_attestation', { ...SCAN, is_compliant: true, description: '\ud800' }, 'surrogate'],
    [
      'draft_override',
      { ...SCAN, original_attestation_type: 'snyk', new_compliance_status: true, reason: 'r' },
      "no attestation 'scan' of the type 'snyk'",
    ],
    ['draft_expectation', { name: 'e', kind: 'reports', every: 'soon', scope: { environments: ['prod'] } }, 'every'],
    ['draft_expectation', { name: 'e', kind: 'reports', every: 'PT1H', scope: { environments: ['no'] } }, 'no'],
  ])('%s says what is wrong with %j', async (tool, args, sentence) => {
    expect(await refusalOf(tool, args)).toEqual([true, expect.stringContaining(sentence)]);
  });

  it('refuse a person who could not confirm, and take a service account that may only read', async () => {
    const args = { name: 'p', policy: NEW };
    expect(await refusalOf('draft_policy', args, acme.keys.reader)).toEqual([
      true,
      expect.stringContaining('Your role is reader'),
    ]);
    expect((await refusalOf('draft_policy', args, robot))[0]).toBeUndefined();
  });

  it('stop after so many open drafts of a caller, until one ends', async () => {
    const other = await environmentsOfOrganization(api);
    const args = { org: other.org, name: 'p', policy: NEW };
    const own = await signIn(other.keys.member);
    for (let n = 0; n < MOST_OPEN.ofCaller; n += 1) await callTool(api, other.keys.member, 'draft_policy', args);
    const { isError, content } = await callTool(api, other.keys.member, 'draft_policy', args);
    expect([isError, content[0]?.text]).toEqual([true, expect.stringContaining('You have 20 open drafts')]);
    const { drafts } = (await own.call('GET', `/drafts/${other.org}`)).json as { drafts: { id: string }[] };
    expect(drafts).toHaveLength(MOST_OPEN.ofCaller);
    expect((await own.call('DELETE', `/drafts/${other.org}/${drafts[0]?.id}`)).status).toBe(200);
    expect((await callTool(api, other.keys.member, 'draft_policy', args)).isError).toBeUndefined();
    expect((await callTool(api, other.keys.admin, 'draft_policy', args)).isError).toBeUndefined();
  });
});

describe('GET /drafts/{org}', () => {
  it('lists open drafts of the caller and of service accounts, without what they would write', async () => {
    await draft('draft_policy', { name: 'listed', policy: NEW });
    await draft('draft_policy', { name: 'of-admin', policy: NEW }, acme.keys.admin);
    const { drafts } = (await member.call('GET', `/drafts/${acme.org}`)).json as { drafts: Record<string, unknown>[] };
    expect(drafts[0]).toMatchObject({
      kind: 'policy',
      subject: 'listed',
      drafted_for: 'person',
      html_url: expect.stringContaining(`/${acme.org}/drafts/`),
    });
    expect(drafts.map(({ subject }) => subject)).not.toContain('of-admin');
    expect(drafts.every((one) => !('request' in one))).toBe(true);
    expect(refusal(await api.call('GET', `/drafts/${acme.org}`))[0]).toBe(401);
  });
});

describe('the hour of a draft', () => {
  it('ends it for confirmations and in lists, and the draft says so', async () => {
    const path = await draft('draft_policy', { name: 'late', policy: NEW });
    api.services.clock.advance(3600 * 1_000_000);
    expect(refusal(await confirm(path))).toEqual([
      410,
      { message: expect.stringMatching(/^This draft could be confirmed until .*Z, an hour after/) },
    ]);
    expect((await member.call('DELETE', path)).status).toBe(410);
    expect(await read(path)).toMatchObject({ state: 'expired', changes: [] });
    expect((await member.call('GET', `/drafts/${acme.org}`)).json).toEqual({ drafts: [] });
    expect((await acme.get(`/policies/${acme.org}/late`)).status).toBe(404);
  });
});
