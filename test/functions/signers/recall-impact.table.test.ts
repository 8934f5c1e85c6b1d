import { describe, expect, it } from 'vitest';
import { signersGroup } from '#functions/signers/endpoints.ts';
import { describeAccess } from '#test/support/access.ts';
import { testApi } from '#test/support/api.ts';
import { environmentGroups, environmentsOfOrganization, onServer, STRICT } from '#test/support/environments.ts';
import { anArtifact, fingerprintOf, refusal } from '#test/support/evidence.ts';
import { attestSigned } from '#test/support/records/signed-evidence.ts';
import { relayOf } from '#test/support/relay.ts';
import { ROOT_TEXT } from './signers-api.ts';

/** What a recall concerns, and the marks of environments (rules/verified-evidence.md#impact). */

const api = await testApi([...environmentGroups, signersGroup]);
const acme = await environmentsOfOrganization(api);
const { org } = acme;
const relay = relayOf(api.services, acme.id);
await acme.call('PUT', `/trust-roots/${org}/own`, { json: { kind: 'sigstore', trusted_root: ROOT_TEXT } });
const SIGNER = { trust_root: 'own', issuer: 'https://issuer.example', subjects: ['https://ci.example/acme/web/a.yml'] };
await acme.call('PUT', `/signers/${org}/release`, { json: SIGNER });

interface Impact {
  trails: { trail_name: string; evidence: object[]; artifacts: object[] }[];
  environments: object[];
  next_cursor: string | null;
}
const tried = (json: object, query = '') =>
  acme.call('POST', `/recalls/${org}/any/impact`, { json: { reason: 'a leak', ...json }, query });
const impactOf = async (json: object, query = '') => (await tried(json, query)).json as Impact;
const trailsOf = async (json: object) => (await impactOf(json)).trails.map((trail) => trail.trail_name).toSorted();

const TEMPLATE =
  'version: 1\ntrail:\n  artifacts:\n  - name: web\n    attestations:\n    - name: scan\n      type: generic\n';
await acme.putFlow('web', TEMPLATE);
for (const trail of ['one', 'two', 'plain']) {
  await acme.report(anArtifact('web', { fingerprint: fingerprintOf(trail) }), { trail });
}
const scan = (trail: string) => ({ attestation_name: 'scan', artifact_fingerprint: fingerprintOf(trail) });
const BUNDLE = 'b'.repeat(64);
const KEY = 'c'.repeat(64);
const BUILDER = 'https://ci.example/builder';
const { made } = await attestSigned(api, acme, scan('one'), { trail: 'one', run: 'run 1', bundle_digest: BUNDLE });
await attestSigned(api, acme, scan('two'), { trail: 'two', key_digest: KEY, statement: { builder: { id: BUILDER } } });
await acme.attest('generic', { ...scan('plain'), is_compliant: true }, { trail: 'plain' });
for (const [env, content] of [
  ['prod', 'one'],
  ['test', 'plain'],
] as const) {
  await acme.putEnvironment(env);
  await acme.putPolicy('strict', STRICT);
  await acme.attach(env, 'strict');
  await acme.run(env, onServer({ web: content }));
}
await relay.settle();

describe('what a recall concerns', () => {
  describeAccess(api, {
    method: 'POST',
    path: (name) => `/recalls/${name}/leak/impact`,
    request: { json: { run: 'r', reason: 'a leak' } },
    needs: 'reader',
  });

  it.each<[object, string[]]>([
    [{ signer: 'release' }, ['one', 'two']],
    [{ root: { name: 'own', version: 1 } }, ['one', 'two']],
    [{ run: 'run 1' }, ['one']],
    [{ bundles: ['a'.repeat(64), BUNDLE] }, ['one']],
    [{ key: KEY }, ['two']],
    [{ builder: BUILDER }, ['two']],
    [{ run: 'run 2' }, []],
    [{ signer: 'release', from: 4_000_000_000 }, []],
  ])('%j: the trails %j, before it is saved', async (json, trails) => {
    expect(await trailsOf(json)).toEqual(trails);
  });

  it('is the evidence, its artifacts, and where they run since when', async () => {
    const { trails, environments } = await impactOf({ run: 'run 1' });
    const running = [{ environment: 'prod', since: expect.any(Number) }];
    expect(trails).toEqual([
      {
        flow_name: 'web',
        trail_name: 'one',
        html_url: `https://api.example/${org}/flows/web/trails/one`,
        evidence: [
          {
            attestation_id: made.id,
            attestation_name: 'scan',
            attestation_type: 'generic',
            reported_at: expect.any(Number),
            fingerprints: [fingerprintOf('one')],
          },
        ],
        artifacts: [{ fingerprint: fingerprintOf('one'), name: 'web', running }],
      },
    ]);
    expect(environments).toEqual([{ ...running[0], artifacts: 1 }]);
  });

  it('comes in pages, whose cursors belong to what the recall says', async () => {
    const first = await impactOf({ signer: 'release' }, 'per_page=1');
    const second = await impactOf({ signer: 'release' }, `per_page=1&cursor=${first.next_cursor}`);
    expect([...first.trails, ...second.trails].map((one) => one.trail_name).toSorted()).toEqual(['one', 'two']);
    expect(second.next_cursor).toBeNull();
    expect((await tried({ key: KEY }, `cursor=${first.next_cursor}`)).status).toBe(400);
  });

  it('is refused for what a recall cannot say', async () => {
    expect((await tried({ signer: 'nobody' })).json).toMatchObject({ errors: { signer: expect.any(String) } });
    expect((await tried({})).json).toMatchObject({ errors: { signer: expect.any(String) } });
    expect((await tried({ run: 'r' }, 'per_page=501')).json).toMatchObject({
      errors: { 'query.per_page': expect.anything() },
    });
    expect(refusal(await acme.get(`/recalls/${org}/nothing/impact`))).toEqual([
      404,
      { message: `Recall 'nothing' does not exist in organization '${org}'` },
    ]);
  });
});

describe('the marks of environments', () => {
  it('are raised where recalled artifacts run, so the same report evaluates again; and again when the recall ends', async () => {
    const markOf = async (env: string) => (await acme.head(env)).mark;
    const [prod, test] = [await markOf('prod'), await markOf('test')];
    const report = async () => {
      await acme.run('prod', onServer({ web: 'one' }));
      return (await acme.row('prod', 'web')).compliant;
    };
    expect(await report()).toBe(true);
    await acme.call('PUT', `/recalls/${org}/leak`, { json: { signer: 'release', reason: 'the key leaked' } });
    expect(await acme.get(`/recalls/${org}/leak/impact`)).toMatchObject({
      status: 200,
      json: { environments: [{ environment: 'prod' }] },
    });
    await relay.settle();
    expect([await markOf('prod'), await markOf('test')]).toEqual([prod + 1, test]);
    expect(await report()).toBe(false);
    const [stored] = await acme.snapshots('prod');
    expect(stored?.state).toBe(true);
    await acme.call('DELETE', `/recalls/${org}/leak`);
    await relay.settle();
    expect(await report()).toBe(true);
    // Another target: what the version before concerned is marked too.
    await acme.call('PUT', `/recalls/${org}/leak`, { json: { run: 'run 1', reason: 'a run' } });
    await relay.settle();
    expect(await report()).toBe(false);
    await acme.call('PUT', `/recalls/${org}/leak`, { json: { run: 'run 2', reason: 'a run' } });
    await relay.settle();
    expect(await report()).toBe(true);
  });
});
