import { describe, expect, it } from 'vitest';
import { LIBRARY } from '#shared/signatures/verify-bundle.ts';
import { signerKey } from '#shared/signers/records/keys.ts';
import { newKey, SIGNED_AT } from '#test/shared/signatures/own-root.ts';
import { publicPem } from '#test/shared/signatures/own-trust.ts';
import { bundle, envelope, ISSUER, SHA256, SUBJECT } from '#test/shared/signatures/sample-bundles.ts';
import { describeAccess } from '#test/support/access.ts';
import type { TestAnswer } from '#test/support/gateway.ts';
import { KEY, own, RELEASE, ROOT_TEXT, SIGSTORE, signersApi, signingOrganization } from './signers-api.ts';

/** Trust roots and signers (rules/verified-evidence.md#signers). */

const api = await signersApi();
const refused = ({ status, json }: TestAnswer) => [status, (json as { message: string }).message];
/** One organization for requests that are refused: none of them changes a record. */
const refusing = await signingOrganization(api);
await refusing.putRoot('key', KEY);
await refusing.putRoot('gone', KEY);
await refusing.remove('/trust-roots/ORG/gone');
const acme = await signingOrganization(api);

describe('PUT /trust-roots/{org}/{name}', () => {
  describeAccess(api, {
    method: 'PUT',
    path: (org) => `/trust-roots/${org}/release-key`,
    request: { json: KEY },
    needs: 'admin',
  });

  it('creates version 1, which reads back, and a version for each change', async () => {
    const made = await acme.putRoot('release-key', KEY);
    expect([made.status, made.json]).toEqual([
      201,
      {
        name: 'release-key',
        kind: 'public-key',
        trusted_root: null,
        public_key: KEY.public_key,
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
        description: null,
        deleted: false,
        version: 1,
        created_at: expect.any(Number),
        created_by: `${acme.org}-admin`,
        changed_at: expect.any(Number),
        changed_by: `${acme.org}-admin`,
      },
    ]);
    expect((await acme.get('/trust-roots/ORG/release-key')).json).toEqual(made.json);
    const same = await acme.putRoot('release-key', { ...KEY, description: null });
    expect([same.status, same.json]).toEqual([200, made.json]);
    const changed = await acme.putRoot('release-key', { ...SIGSTORE, description: 'ours' });
    expect([changed.status, changed.json]).toMatchObject([
      200,
      { version: 2, kind: 'sigstore', trusted_root: ROOT_TEXT, public_key: null, description: 'ours' },
    ]);
    const versions = await acme.get('/trust-roots/ORG/release-key/versions');
    expect(versions.json).toMatchObject({ total_count: 2, versions: [changed.json, made.json] });
  });

  it.each<[string, object, Record<string, unknown>]>([
    ['release', {}, { kind: expect.stringMatching(/^Field required/) }],
    ['release', { kind: 'pgp' }, { kind: expect.stringMatching(/^Input should be 'sigstore' or 'public-key'/) }],
    ['release', { kind: 'sigstore' }, { trusted_root: 'Field required [input: None]' }],
    [
      'release',
      { ...KEY, trusted_root: ROOT_TEXT },
      { trusted_root: expect.stringMatching(/^This field is not for the kind 'public-key'/) },
    ],
    [
      'release',
      { kind: 'public-key', public_key: 'ssh-ed25519 AAAA' },
      { public_key: expect.stringMatching(/^The text is not one public key as PEM/) },
    ],
    [
      'release',
      { ...SIGSTORE, trusted_root: '{}' },
      { trusted_root: expect.stringMatching(/^The trust root has the media type 'undefined'/) },
    ],
    [
      'release',
      { ...SIGSTORE, trusted_root: 'x'.repeat(32_769) },
      { trusted_root: expect.stringMatching(/^String should have at most 32768 characters/) },
    ],
    ['release', { ...KEY, extra: 1 }, { extra: expect.stringMatching(/^Extra inputs are not permitted/) }],
    ['-a', KEY, { name: expect.stringMatching(/^String should match pattern/) }],
  ])('refuses %s with %j', async (name, json, errors) => {
    const answer = await refusing.putRoot(name, json);
    expect([answer.status, (answer.json as { errors: object }).errors], answer.text).toEqual([400, errors]);
  });

  it('refuses the name of the public root', async () => {
    const answer = await refusing.putRoot('sigstore-public', KEY);
    expect(refused(answer)).toEqual([
      400,
      "The trust root 'sigstore-public' comes with the service. Choose another name",
    ]);
  });
});

describe('PUT /signers/{org}/{name}', () => {
  describeAccess(api, {
    method: 'PUT',
    path: (org) => `/signers/${org}/release`,
    request: { json: { trust_root: 'sigstore-public', issuer: ISSUER, subjects: [SUBJECT] } },
    needs: 'admin',
  });

  it('creates version 1, which reads back, and a version for each change', async () => {
    const made = await acme.putSigner('release', RELEASE);
    expect([made.status, made.json]).toMatchObject([
      201,
      { name: 'release', ...RELEASE, claims: {}, description: null, deleted: false, version: 1 },
    ]);
    expect((await acme.get('/signers/ORG/release')).json).toEqual(made.json);
    expect((await acme.putSigner('release', { ...RELEASE, claims: {} })).json).toEqual(made.json);
    const claims = { source_repository_identifier: '74', build_trigger: ['push', 'release'] };
    const changed = await acme.putSigner('release', { ...RELEASE, claims });
    expect(changed.json).toMatchObject({
      version: 2,
      claims: { build_trigger: ['push', 'release'], source_repository_identifier: ['74'] },
    });
    const versions = await acme.get('/signers/ORG/release/versions');
    expect(versions.json).toMatchObject({ total_count: 2, versions: [changed.json, made.json] });
  });

  it('gives each of two writers a version of its own', async () => {
    const texts = ['a', 'b', 'c'];
    const answers = await Promise.all(texts.map((description) => acme.putSigner('raced', { ...RELEASE, description })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 201]);
    const { versions } = (await acme.get('/signers/ORG/raced/versions')).json as { versions: { version: number }[] };
    expect(versions.map(({ version }) => version)).toEqual([3, 2, 1]);
  });

  const WIDE = expect.stringMatching(/^'\*' is possible after the repository only/);
  it.each<[object, Record<string, unknown>]>([
    [{ issuer: ISSUER, subjects: [SUBJECT] }, { trust_root: expect.stringMatching(/^Field required/) }],
    [{ ...RELEASE, trust_root: 'nowhere' }, { trust_root: expect.stringMatching(/^There is no such trust root/) }],
    [{ ...RELEASE, trust_root: 'gone' }, { trust_root: expect.stringMatching(/^There is no such trust root/) }],
    [{ trust_root: 'own', subjects: [SUBJECT] }, { issuer: 'Say which issuer has to have proved the identity' }],
    [
      { trust_root: 'own', issuer: ISSUER, claims: { build_trigger: 'push' } },
      { subjects: expect.stringMatching(/^Give subjects, or bind one of the claims/) },
    ],
    [
      { ...RELEASE, subjects: ['https://github.com/acme/*/.github/workflows/a.yml@refs/heads/main'] },
      { 'subjects[0]': WIDE },
    ],
    [
      { ...RELEASE, claims: { source_repository_uri: 'https://github.com/acme/*' } },
      { 'claims.source_repository_uri': expect.stringMatching(/^A claim that names an owner/) },
    ],
    [{ ...RELEASE, claims: { favourite_colour: 'red' } }, { 'claims.favourite_colour': expect.any(String) }],
    [
      { trust_root: 'key', issuer: ISSUER, subjects: [SUBJECT] },
      {
        issuer: 'A public key names nobody. Leave this field out',
        subjects: 'A public key names nobody. Leave this field out',
      },
    ],
  ])('refuses %j', async (json, errors) => {
    const answer = await refusing.putSigner('release', json);
    expect([answer.status, (answer.json as { errors: object }).errors], answer.text).toEqual([400, errors]);
  });
});

describe('DELETE of a signer and of a trust root', () => {
  describeAccess(api, { method: 'DELETE', path: (org) => `/signers/${org}/release`, needs: 'admin' });

  it('keeps the record as a deleted version, which PUT makes active again', async () => {
    await acme.putSigner('brief', RELEASE);
    const deleted = await acme.remove('/signers/ORG/brief');
    expect([deleted.status, deleted.json]).toMatchObject([200, { version: 2, deleted: true, ...RELEASE }]);
    expect((await acme.remove('/signers/ORG/brief')).json).toEqual(deleted.json);
    expect((await acme.get('/signers/ORG/brief')).json).toEqual(deleted.json);
    expect((await acme.putSigner('brief', RELEASE)).json).toMatchObject({ version: 3, deleted: false });
    expect(refused(await acme.remove('/signers/ORG/nobody'))).toEqual([
      404,
      `Signer 'nobody' does not exist in organization '${acme.org}'`,
    ]);
    expect(refused(await acme.remove('/trust-roots/ORG/nobody'))).toEqual([
      404,
      `Trust root 'nobody' does not exist in organization '${acme.org}'`,
    ]);
  });

  it('has audit entries with what was before, and with the digest of a root', async () => {
    const entries = async (kind: string) =>
      ((await acme.get('/audit/ORG', `kind=${kind}&per_page=100`)).json as { entries: { kind: string }[] }).entries;
    await acme.putRoot('audited', KEY);
    await acme.remove('/trust-roots/ORG/audited');
    const [deleted, created] = await entries('trust_root');
    expect(deleted).toMatchObject({
      kind: 'trust_root.deleted',
      before: { deleted: false },
      after: { deleted: true, version: 2 },
    });
    expect(created).toMatchObject({
      kind: 'trust_root.created',
      after: { kind: 'public-key', digest: expect.any(String) },
    });
    expect(JSON.stringify([deleted, created])).not.toContain('BEGIN PUBLIC KEY');
  });
});

describe('GET /signers/{org}', () => {
  it('pages by name, and shows a placeholder for a signer that cannot be read', async () => {
    const beta = await signingOrganization(api);
    for (const name of ['a', 'b', 'c']) await beta.putSigner(name, RELEASE);
    const first = (await beta.get('/signers/ORG', 'per_page=2')).json as { signers: object[]; next_cursor: string };
    expect(first).toMatchObject({ signers: [{ name: 'a' }, { name: 'b' }] });
    const { table } = api.services;
    await table.write({ put: { ...signerKey(beta.id, 'c'), v: 9 } });
    const next = (await beta.get('/signers/ORG', `per_page=2&cursor=${first.next_cursor}`)).json;
    expect(next).toMatchObject({ signers: [{ name: 'c', unreadable: true }], next_cursor: null });
    expect((await beta.get('/trust-roots/ORG')).json).toMatchObject({
      trust_roots: [{ name: 'own' }],
      next_cursor: null,
    });
    expect((await beta.get('/trust-roots/ORG', `cursor=${first.next_cursor}`)).status).toBe(400);
  });
});

describe('POST /signers/{org}/{name}/check', () => {
  const made = JSON.stringify(bundle(own));

  it('shows what was verified', async () => {
    await acme.putSigner('checked', RELEASE);
    const { status, json } = await acme.check('checked', { bundle: made, fingerprint: SHA256 });
    expect([status, json]).toMatchObject([
      200,
      {
        signer: 'checked',
        signer_version: 1,
        trust_root: 'own',
        trust_root_version: 1,
        library: LIBRARY,
        bundles: [
          {
            verified: true,
            grade: 'logged',
            error: null,
            issuer: ISSUER,
            subject: SUBJECT,
            claims: { source_repository_identifier: '74' },
            log_entries: [{ index: '1' }],
            times: [{ at: SIGNED_AT, from: 'log' }],
            predicate_type: 'https://slsa.dev/provenance/v1',
            subjects: [{ name: 'web.tar', digest: { sha256: SHA256 } }],
          },
        ],
      },
    ]);
  });

  const errorOf = async (name: string, json: object) => {
    const answer = await acme.check(name, json);
    const { bundles } = answer.json as { bundles: { verified: boolean; grade: null; error: string; subject: null }[] };
    expect(bundles.every(({ verified, grade, subject }) => !verified && grade === null && subject === null)).toBe(true);
    return bundles.map(({ error }) => error);
  };

  it('shows why a bundle is not verified, and nothing of what it says', async () => {
    await acme.putSigner('other', { ...RELEASE, subjects: [SUBJECT.replace('release', 'nightly')] });
    expect(await errorOf('other', { bundle: made })).toEqual([
      `The certificate names '${SUBJECT}', which no subject of the signer 'other' matches`,
    ]);
    await acme.putSigner('checked', RELEASE);
    expect(await errorOf('checked', { bundle: made, fingerprint: '0'.repeat(64) })).toEqual([
      expect.stringMatching(/^No subject of the statement has the SHA-256 000/),
    ]);
    expect(await errorOf('checked', { bundle: `${JSON.stringify(bundle(own, { hasPromise: false }))}\n{}` })).toEqual([
      'expected 1 timestamps, got 0',
      expect.stringMatching(/^The bundle has the media type 'undefined'/),
    ]);
    expect(await errorOf('checked', { bundle: `${made}\n`.repeat(21) })).toEqual([
      'The file has 21 bundles. The most are 20',
    ]);
  });

  it('verifies nothing for a deleted signer and a deleted trust root', async () => {
    const { privateKey } = newKey();
    const signed = { bundle: JSON.stringify(envelope(privateKey)) };
    await acme.putRoot('short-lived', { kind: 'public-key', public_key: publicPem(privateKey) });
    await acme.putSigner('short-lived', { trust_root: 'short-lived' });
    expect((await acme.check('short-lived', signed)).json).toMatchObject({
      bundles: [{ verified: true, grade: 'signed', issuer: null, times: [] }],
    });
    await acme.remove('/trust-roots/ORG/short-lived');
    expect(await errorOf('short-lived', signed)).toEqual(["The trust root 'short-lived' is deleted"]);
    await acme.remove('/signers/ORG/short-lived');
    expect(await errorOf('short-lived', signed)).toEqual(["The signer 'short-lived' is deleted"]);
  });

  it('refuses an unknown signer, and a body field by field', async () => {
    expect(refused(await refusing.check('nobody', { bundle: '{}' }))).toEqual([
      404,
      `Signer 'nobody' does not exist in organization '${refusing.org}'`,
    ]);
    const { status, json } = await refusing.check('nobody', { fingerprint: 'ABC', extra: 1 });
    expect([status, Object.keys((json as { errors: object }).errors).toSorted()]).toEqual([
      400,
      ['bundle', 'extra', 'fingerprint'],
    ]);
  });
});
