import { describe, expect, it } from 'vitest';
import { OwnRoot } from '#test/shared/signatures/own-root.ts';
import { SHA256 } from '#test/shared/signatures/sample-bundles.ts';
import { describeAccess } from '#test/support/access.ts';
import { anArtifact, fingerprintOf } from '#test/support/evidence.ts';
import { about, bundlesApi, errorsOf, madeOf, signingOrganization, text } from './bundles-api.ts';

/** rules/verified-evidence.md#report-a-bundle-without-a-trail */

const api = await bundlesApi();
const acme = await signingOrganization(api);
const send = (file: string, fields: Record<string, unknown> = {}, query = '') =>
  acme.call('POST', `/bundles/${acme.org}`, {
    query,
    form: {
      fields: { data_json: JSON.stringify({ attestation_name: 'build', ...fields }) },
      files: { bundle_file: file },
    },
  });
const naming = (...names: string[]) => text(about(names.map((name) => ({ digest: { sha256: fingerprintOf(name) } }))));

describe('POST /bundles/{org}', () => {
  describeAccess(api, {
    method: 'POST',
    path: (org) => `/bundles/${org}`,
    request: { form: { fields: { data_json: '{"attestation_name":"build"}' }, files: { bundle_file: text() } } },
    needs: 'member',
  });

  it('stores a bundle in the trail that reported its artifact last', async () => {
    await acme.report(anArtifact('app', { fingerprint: SHA256, trail_name: 'later' }));
    const answer = await send(text());
    expect(madeOf(answer)).toMatchObject([{ artifact_fingerprint: SHA256, grade: 'logged', signer: { name: 'ci' } }]);
    expect(answer.json).toMatchObject({ flow_name: 'web', trail_name: 'later' });
    expect(answer.headers).toMatchObject({
      location: expect.stringMatching(/\/trails\/[^/]+\/web\/later$/),
      'x-resource-id': 'later',
      'x-evidence-grade': 'logged',
      'evidence-moment': expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(await acme.named('build', { trail: 'later' })).toHaveLength(1);
    expect(await acme.named('build', { trail: 'run' })).toEqual([]);
  });

  it('looks at one flow only if the query names it, and at one artifact only if the report names it', async () => {
    await acme.report(anArtifact('one', { trail_name: 'first' }), { flow: 'api' });
    await acme.report(anArtifact('one', { trail_name: 'second' }), { flow: 'web' });
    await acme.report(anArtifact('two', { trail_name: 'third' }), { flow: 'web' });
    const placeOf = async (...request: Parameters<typeof send>) => (await send(...request)).json;
    expect(await placeOf(naming('one'))).toMatchObject({ flow_name: 'web', trail_name: 'second' });
    expect(await placeOf(naming('one'), {}, 'flow_name=api')).toMatchObject({ flow_name: 'api', trail_name: 'first' });
    expect(await placeOf(naming('one', 'two'))).toMatchObject({ trail_name: 'third' });
    const only = { artifact_fingerprint: fingerprintOf('one') };
    expect(await placeOf(naming('one', 'two'), only)).toMatchObject({ trail_name: 'second' });
  });

  it('refuses artifacts that nobody has reported, with their digests, and stores nothing', async () => {
    const unknown = fingerprintOf('unknown');
    const before = await acme.stored();
    const sentence = (named: string) =>
      `No subject of the bundle was reported as an artifact. Report the artifact first. The bundle names ${named}`;
    expect(errorsOf(await send(naming('unknown')))).toEqual([400, { bundle_file: sentence(`sha256:${unknown}`) }]);
    expect(errorsOf(await send(text(), {}, 'flow_name=api'))).toEqual([
      400,
      { bundle_file: sentence(`sha256:${SHA256}`) },
    ]);
    expect(errorsOf(await send('{}'))).toEqual([400, { bundle_file: sentence('nothing that can be read') }]);
    expect(errorsOf(await send(text(), { artifact_fingerprint: unknown }))).toEqual([
      400,
      { bundle_file: sentence(`sha256:${unknown}`) },
    ]);
    expect(await acme.stored()).toEqual(before);
  });

  it('refuses bundles of several trails, a signature that is required, an unknown flow and too many artifacts', async () => {
    const several = `${naming('one')}\n${naming('two')}`;
    expect(errorsOf(await send(several))).toEqual([
      400,
      {
        bundle_file: expect.stringMatching(/^No subject of the bundle is an artifact or a commit of the trail 'third'/),
      },
    ]);
    expect(errorsOf(await send(text({}, new OwnRoot()), {}, 'require=signed'))).toEqual([
      400,
      { bundle_file: 'Failed to verify certificate chain: no valid certificate path found' },
    ]);
    expect((await send(text(), {}, 'flow_name=nowhere')).status).toBe(404);
    const names = Array.from({ length: 51 }, (_, i) => `many-${i}`);
    expect((await send(naming(...names))).text).toContain(
      'The bundles name 51 artifacts, and at most 50 are looked for',
    );
  });

  it('refuses a report field by field', async () => {
    const answer = await acme.call('POST', `/bundles/${acme.org}`, {
      json: { signer: '', target_artifacts: ['app'] },
      query: 'require=yes&flow_name=-',
    });
    expect(errorsOf(answer)).toEqual([
      400,
      {
        attestation_name: expect.any(String),
        signer: expect.any(String),
        target_artifacts: expect.stringMatching(/^The subjects of the bundle say/),
        bundle_file: 'Field required [input: None]',
        'query.require': expect.any(String),
        'query.flow_name': expect.any(String),
      },
    ]);
  });

  it('repeats its answer for the same Idempotency-Key', async () => {
    const file = text();
    const request = {
      headers: { 'idempotency-key': 'without-a-trail' },
      form: { fields: { data_json: '{"attestation_name":"repeated"}' }, files: { bundle_file: file } },
    };
    const [first, second] = [
      await acme.call('POST', `/bundles/${acme.org}`, request),
      await acme.call('POST', `/bundles/${acme.org}`, request),
    ];
    expect([second.status, second.json, second.headers['x-evidence-grade']]).toEqual([201, first.json, 'logged']);
    expect(await acme.named('repeated', { trail: 'later' })).toHaveLength(1);
  });
});
