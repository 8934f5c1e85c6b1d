import { describe, expect, it } from 'vitest';
import { describeAccess } from '#test/support/access.ts';
import type { TestAnswer } from '#test/support/gateway.ts';
import { RELEASE, signersApi, signingOrganization } from './signers-api.ts';

/** Recalls (rules/verified-evidence.md#recalls). */

const api = await signersApi();
const acme = await signingOrganization(api);
await acme.putSigner('release', RELEASE);
const put = (name: string, json: object) => acme.call('PUT', `/recalls/ORG/${name}`, { json });
const errorsOf = ({ status, json }: TestAnswer) => [status, (json as { errors: object }).errors];
const DIGEST = 'a'.repeat(64);
const NOTHING = { signer: null, run: null, builder: null, root: null, key: null, bundles: null };

describe('PUT /recalls/{org}/{name}', () => {
  describeAccess(api, {
    method: 'PUT',
    path: (org) => `/recalls/${org}/leak`,
    request: { json: { run: 'https://ci.example/7', reason: 'a token leaked' } },
    needs: 'admin',
  });

  it('creates version 1, which reads back, and a version for each change', async () => {
    const made = await put('leak', { signer: 'release', reason: 'the key leaked' });
    expect([made.status, made.json]).toEqual([
      201,
      {
        name: 'leak',
        ...NOTHING,
        signer: 'release',
        from: null,
        until: null,
        reason: 'the key leaked',
        deleted: false,
        version: 1,
        created_at: expect.any(Number),
        created_by: `${acme.org}-admin`,
        changed_at: expect.any(Number),
        changed_by: `${acme.org}-admin`,
      },
    ]);
    expect((await acme.get('/recalls/ORG/leak')).json).toEqual(made.json);
    expect((await put('leak', { signer: 'release', from: null, reason: 'the key leaked' })).json).toEqual(made.json);
    const changed = await put('leak', { signer: 'release', from: 1.5, until: 2, reason: 'the key leaked' });
    expect(changed.json).toMatchObject({ version: 2, from: 1.5, until: 2 });
    const versions = await acme.get('/recalls/ORG/leak/versions');
    expect(versions.json).toMatchObject({ total_count: 2, versions: [changed.json, made.json] });
  });

  it.each<[object, object]>([
    [{ run: 'https://ci.example/7' }, { run: 'https://ci.example/7' }],
    [{ builder: 'https://ci.example/builder' }, { builder: 'https://ci.example/builder' }],
    [{ root: { name: 'own' } }, { root: { name: 'own', version: null } }],
    [{ root: { name: 'own', version: 1 } }, { root: { name: 'own', version: 1 } }],
    [{ root: { name: 'sigstore-public' } }, { root: { name: 'sigstore-public', version: null } }],
    [{ key: DIGEST }, { key: DIGEST }],
    [{ bundles: ['b'.repeat(64), DIGEST, DIGEST] }, { bundles: [DIGEST, 'b'.repeat(64)] }],
  ])('takes %j', async (what, shown) => {
    const { json } = await put('what', { ...what, reason: 'a leak' });
    expect(json).toMatchObject({ ...NOTHING, ...shown });
  });

  it('gives each of two writers a version of its own', async () => {
    const answers = await Promise.all(['a', 'b'].map((reason) => put('raced', { key: DIGEST, reason })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 201]);
    expect((await acme.get('/recalls/ORG/raced/versions')).json).toMatchObject({ total_count: 2 });
  });

  it.each<[object, Record<string, unknown>]>([
    [{ key: DIGEST }, { reason: expect.stringMatching(/^Field required/) }],
    [{ reason: 'x' }, { signer: expect.stringMatching(/^Say what is recalled/) }],
    [{ reason: 'x', key: DIGEST, run: 'r' }, { key: expect.stringMatching(/^Only one of signer, run/) }],
    [{ reason: 'x', key: 'abc' }, { key: expect.any(String) }],
    [{ reason: 'x', bundles: [] }, { bundles: expect.any(String) }],
    [{ reason: 'x', bundles: ['abc'] }, { 'bundles[0]': expect.any(String) }],
    [{ reason: 'x', key: DIGEST, from: 2, until: 2 }, { until: 'The end should be after the beginning' }],
    [{ reason: 'x', key: DIGEST, from: -1 }, { from: expect.any(String) }],
    [{ reason: 'x', key: DIGEST, extra: 1 }, { extra: expect.stringMatching(/^Extra inputs are not permitted/) }],
    [{ reason: 'x', signer: 'nobody' }, { signer: expect.stringMatching(/^There is no such signer/) }],
    [
      { reason: 'x', root: { name: 'nowhere' } },
      { 'root.name': expect.stringMatching(/^There is no such trust root/) },
    ],
    [
      { reason: 'x', root: { name: 'own', version: 9 } },
      { 'root.version': expect.stringMatching(/^The trust root has 1 versions/) },
    ],
    [
      { reason: 'x', root: { name: 'sigstore-public', version: 1 } },
      { 'root.version': expect.stringMatching(/^The public root has no versions/) },
    ],
  ])('refuses %j', async (json, errors) => {
    const answer = await put('refused', json);
    expect(errorsOf(answer), answer.text).toEqual([400, errors]);
    expect((await acme.get('/recalls/ORG/refused')).status).toBe(404);
  });
});

describe('DELETE /recalls/{org}/{name}', () => {
  describeAccess(api, { method: 'DELETE', path: (org) => `/recalls/${org}/leak`, needs: 'admin' });

  it('keeps the recall as a deleted version, with an audit entry that says what it was', async () => {
    await put('old', { key: DIGEST, reason: 'a leak' });
    expect((await acme.remove('/recalls/ORG/old')).json).toMatchObject({ deleted: true, version: 2, key: DIGEST });
    expect((await acme.remove('/recalls/ORG/old')).json).toMatchObject({ version: 2 });
    const { json } = await acme.call('GET', '/audit/ORG', { query: 'kind=recall.deleted' });
    expect(json).toMatchObject({
      entries: [
        {
          subject: { type: 'recall', name: 'old' },
          before: { deleted: false, target: { kind: 'key', digest: DIGEST } },
          after: { deleted: true, reason: 'a leak' },
        },
      ],
    });
    expect((await put('old', { key: DIGEST, reason: 'a leak' })).json).toMatchObject({ deleted: false, version: 3 });
    expect((await acme.remove('/recalls/ORG/never')).status).toBe(404);
  });
});

describe('GET /recalls/{org}', () => {
  describeAccess(api, { method: 'GET', path: (org) => `/recalls/${org}`, needs: 'reader' });

  it('lists recalls by name, page by page', async () => {
    const first = await acme.get('/recalls/ORG', 'per_page=1');
    const { recalls, next_cursor: next } = first.json as { recalls: { name: string }[]; next_cursor: string };
    expect(recalls).toHaveLength(1);
    const second = await acme.get('/recalls/ORG', `per_page=1&cursor=${next}`);
    const [other] = (second.json as { recalls: { name: string }[] }).recalls;
    expect([recalls[0]?.name, other?.name].toSorted()).toEqual([recalls[0]?.name, other?.name]);
  });
});
