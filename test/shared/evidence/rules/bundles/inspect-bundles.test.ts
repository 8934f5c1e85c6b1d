import { hash, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { micros } from '#shared/base/time.ts';
import { type OpenedBundle, openBundles } from '#shared/evidence/rules/bundles/inspect-bundles.ts';
import { publicRoot } from '#shared/signatures/public-root.ts';
import { PUBLIC_ROOT, type SignerRecord, type TrustRootRecord } from '#shared/signers/rules/records.ts';
import type { TrustData } from '#shared/signers/rules/verify-as-signer.ts';
import { newKey, type OwnRoot, SIGNED_AT } from '#test/shared/signatures/own-root.ts';
import { other, own, publicPem } from '#test/shared/signatures/own-trust.ts';
import {
  ARTIFACT,
  type BundleOptions,
  bundle,
  envelope,
  fileBundle,
  ISSUER,
  SHA256,
  SUBJECT,
  statement,
} from '#test/shared/signatures/sample-bundles.ts';

/** Each trap once through everything that a request does with a bundle (rules/verified-evidence.md#report-a-bundle). */

const versioned = {
  v: 1 as const,
  id: 'id',
  version: 3,
  description: null,
  deleted: false,
  createdAt: micros(0),
  createdBy: 'ada',
  changedAt: micros(0),
  changedBy: 'ada',
};
const aRoot = (name: string, kind: TrustRootRecord['kind'], text: string): TrustRootRecord => ({
  ...versioned,
  name,
  kind,
  text,
  digest: hash('sha256', text),
});
const aSigner = (name: string, changed: Partial<SignerRecord> = {}): SignerRecord => ({
  ...versioned,
  name,
  root: 'own',
  issuer: ISSUER,
  subjects: [SUBJECT],
  claims: [],
  ...changed,
});
const byKey = (name: string, root: string) => aSigner(name, { root, issuer: null, subjects: [] });
const { privateKey: key } = newKey();
const roots = [
  aRoot('own', 'sigstore', JSON.stringify(own.json())),
  aRoot('release-key', 'public-key', publicPem(key)),
];
const trust: TrustData = { signers: [aSigner('ci'), byKey('key', 'release-key')], roots };

/** test/shared/signatures/published.test.ts says where it comes from. */
const PUBLISHED = readFileSync(join(import.meta.dirname, '../../../signatures/published.sigstore.json'), 'utf8');

const openedOf = (file: string | Uint8Array): OpenedBundle[] => {
  const opened = openBundles(typeof file === 'string' ? Buffer.from(file) : file);
  return 'bundles' in opened ? opened.bundles : expect.fail(JSON.stringify(opened));
};
const one = (json: unknown): OpenedBundle => {
  const [first] = openedOf(typeof json === 'string' ? json : JSON.stringify(json));
  return first ?? expect.fail('no bundle');
};
const verify = (json: unknown, by: TrustData = trust) => one(json).verify(by);
const about = (changed: Readonly<Record<string, unknown>>, root: OwnRoot = own, more: BundleOptions = {}) =>
  bundle(root, { payload: JSON.stringify(statement(changed)), ...more });

describe('the signer of a bundle', () => {
  test('is the first signer by name that its certificate matches', () => {
    const signers = [aSigner('a', { subjects: [`${SUBJECT}s`] }), aSigner('b'), aSigner('c')];
    expect(verify(bundle(own), { signers, roots })).toMatchObject({
      grade: 'logged',
      signer: { name: 'b', version: 3 },
      root: { name: 'own', version: 3 },
      error: null,
    });
  });

  test('is found by its public key among several', () => {
    const others = aRoot('other-key', 'public-key', publicPem(newKey().privateKey));
    const data = { signers: [byKey('a', 'other-key'), byKey('b', 'release-key')], roots: [...roots, others] };
    expect(verify(envelope(key), data)).toMatchObject({
      grade: 'signed',
      signer: { name: 'b' },
      issuer: null,
      key_digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      times: [],
    });
  });

  test('is found in a bundle of the public instance, whose root has no version', () => {
    const subject = 'https://github.com/trailofbits/pypi-attestations/.github/workflows/release.yml@refs/tags/*';
    const published = aSigner('pypi', { root: PUBLIC_ROOT, subjects: [subject] });
    expect(verify(PUBLISHED, { signers: [published], roots: [] })).toMatchObject({
      grade: 'logged',
      signer: { name: 'pypi', version: 3 },
      root: { name: 'sigstore-public', version: null, digest: publicRoot().digest },
      run: 'https://github.com/trailofbits/pypi-attestations/actions/runs/12169989787/attempts/1',
      statement: { builder: { id: expect.stringMatching(/^https:\/\/github\.com\//) } },
      error: null,
    });
  });

  test('has a run if the issuer names one, and times and logs that its root proves', () => {
    const claims = { 21: 'https://github.com/acme/web/actions/runs/1/attempts/1' };
    expect(verify(bundle(own, { identity: { claims } }))).toMatchObject({
      run: claims[21],
      times: [{ at: SIGNED_AT, from: 'log' }],
      logs: [{ index: '1' }],
    });
  });
});

const nothing = { signer: null, root: null, issuer: null, subject: null, predicate_type: null, statement: null };

describe('a bundle that is not verified says nothing but why', () => {
  const twice = JSON.stringify(bundle(own)).replace('{', '{"mediaType":"text/plain",');
  test.each<[string, () => unknown, TrustData, RegExp | string]>([
    ['without any signer', () => bundle(own), { signers: [], roots: [] }, /^The organization has no signer, so no/],
    [
      'by a key, where all signers have certificates',
      () => envelope(key),
      { signers: [aSigner('ci')], roots },
      'The signature is by a public key, and no signer of the organization is a public key',
    ],
    [
      'with a certificate, where all signers are keys',
      () => bundle(own),
      { signers: [byKey('key', 'release-key')], roots },
      'The bundle has a certificate, and all signers of the organization are public keys',
    ],
    [
      'by a deleted signer',
      () => bundle(own),
      { signers: [aSigner('ci', { deleted: true })], roots },
      "The signer 'ci' is deleted",
    ],
    [
      'with a deleted root',
      () => bundle(own),
      { signers: [aSigner('ci')], roots: [] },
      "The trust root 'own' is deleted",
    ],
    [
      'by somebody else',
      () => bundle(own, { identity: { issuer: 'https://accounts.example' } }),
      trust,
      "The certificate has the issuer 'https://accounts.example'. The signer 'ci' has 'https://token.actions.githubusercontent.com'",
    ],
    [
      'by none of many',
      () => bundle(own),
      {
        signers: ['a', 'b', 'c', 'd', 'e'].map((name) => aSigner(name, { subjects: ['https://x.example/a/b'] })),
        roots,
      },
      /'a' matches; .*'b' matches; .*'c' matches; and 2 more signers$/,
    ],
    [
      'with another root than its issuer',
      () => bundle(other),
      trust,
      'Failed to verify certificate chain: no valid certificate path found',
    ],
    [
      'with the key that comes with it',
      () => bundle(own, { key: newKey().privateKey }),
      { signers: [byKey('key', 'release-key')], roots },
      'signature verification failed',
    ],
    ['without a trusted time', () => bundle(own, { hasPromise: false }), trust, 'expected 1 timestamps, got 0'],
    ['with another payload type', () => bundle(own, { payloadType: 'text/plain' }), trust, /^The payload has the type/],
    ['without a subject', () => about({ subject: [] }), trust, 'The signed statement has no subject'],
    ['with repeated members', () => twice, trust, "The bundle has the member 'mediaType' twice in one object"],
    ['nested too deep', () => `${'['.repeat(1000)}${']'.repeat(1000)}`, trust, /^The bundle is nested deeper than 250/],
    ['that is XML', () => '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', trust, 'The bundle is not JSON'],
    ['over a file', () => fileBundle(own), trust, /^The bundle signs a file itself/],
  ])('a bundle %s', (_, make, data, sentence) => {
    const found = verify(make(), data);
    expect(found).toMatchObject({ grade: 'stated', ...nothing, error: expect.stringMatching(sentence) });
  });

  test('a bundle is refused with two signatures', () => {
    const made = bundle(own);
    made.dsseEnvelope.signatures.push(...made.dsseEnvelope.signatures);
    expect(verify(made)).toMatchObject({ grade: 'stated', error: expect.stringMatching(/signatures/) });
  });
});

describe('a bundle over a file', () => {
  const opened = (made: object, file: Buffer = ARTIFACT) => {
    const found = openBundles(Buffer.from(JSON.stringify(made)), file);
    return 'bundles' in found ? (found.bundles[0] ?? expect.fail('no bundle')) : expect.fail(JSON.stringify(found));
  };
  const another = Buffer.from('another file');
  const withDigest = (algorithm: string, digest: string) => {
    const made = fileBundle(own);
    return { ...made, messageSignature: { ...made.messageSignature, messageDigest: { algorithm, digest } } };
  };

  test('is verified with the file, and says nothing of it but that it is this one', () => {
    const bundle = opened(fileBundle(own));
    expect([bundle.isOfFile, bundle.verify(trust)]).toMatchObject([
      true,
      {
        ...{ grade: 'logged', signer: { name: 'ci' }, error: null, predicate_type: null, statement: null },
        ...{ kind: 'statement', subjects: [{ name: '', sha256: SHA256 }], subject_count: 1 },
      },
    ]);
    const { messageSignature } = fileBundle(own);
    const signature = sign('sha256', ARTIFACT, key).toString('base64');
    const byKeyAlone = {
      mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
      verificationMaterial: { publicKey: { hint: '' } },
      messageSignature: { ...messageSignature, signature },
    };
    expect(opened(byKeyAlone).verify(trust)).toMatchObject({ grade: 'signed', signer: { name: 'key' } });
    expect(opened(byKeyAlone, another).verify(trust)).toMatchObject({ grade: 'stated', ...nothing });
    // A signature over the digest is no signature over the file.
    const ofDigest = sign('sha256', Buffer.from(SHA256, 'hex'), key).toString('base64');
    expect(
      opened({ ...byKeyAlone, messageSignature: { ...messageSignature, signature: ofDigest } }).verify(trust),
    ).toMatchObject({ grade: 'stated', ...nothing, error: expect.stringContaining('signature verification failed') });
  });

  test.each<[string, object, Buffer, RegExp]>([
    ['another file than that of its digest', fileBundle(own), another, /^The digest in the bundle is not the digest/],
    [
      'a file whose digest was put in the place of the signed one',
      withDigest('SHA2_256', hash('sha256', another, 'base64')),
      another,
      /./,
    ],
    [
      'a SHA-384',
      withDigest('SHA2_384', hash('sha384', ARTIFACT, 'base64')),
      ARTIFACT,
      /^The bundle names the file that it signs by SHA2_384. It should name its SHA-256$/,
    ],
    ['a SHA3-256', withDigest('SHA3_256', hash('sha256', ARTIFACT, 'base64')), ARTIFACT, /by SHA3_256/],
    [
      'a digest that is too short',
      withDigest('SHA2_256', Buffer.alloc(20).toString('base64')),
      ARTIFACT,
      /by SHA2_256/,
    ],
  ])('is stated with %s', (_, made, file, sentence) => {
    const verification = opened(made, file).verify(trust);
    expect(verification).toMatchObject({ grade: 'stated', ...nothing, error: expect.stringMatching(sentence) });
    expect(verification.subject_count).toBe(0);
  });

  test('names nothing by another algorithm, so it can be bound to nothing', () => {
    expect(opened(withDigest('SHA2_384', hash('sha384', ARTIFACT, 'base64')))).toMatchObject({
      ...{ artifacts: [], about: '', isOfFile: false },
    });
    expect(opened(fileBundle(own), another)).toMatchObject({ artifacts: [SHA256], isOfFile: false });
  });

  test('leaves bundles with a statement as they are, and is refused without any bundle over a file', () => {
    const both = `${JSON.stringify(fileBundle(own, another))}\n${JSON.stringify(bundle(own))}`;
    const found = openBundles(Buffer.from(both), another);
    const grades = 'bundles' in found ? found.bundles.map((one) => [one.isOfFile, one.verify(trust).grade]) : found;
    expect(grades).toEqual([
      [true, 'logged'],
      [false, 'logged'],
    ]);
    expect(openBundles(Buffer.from(JSON.stringify(bundle(own))), ARTIFACT)).toEqual({
      refused: 'No bundle signs a file itself. Leave signed_file out',
    });
  });
});

describe('what a bundle is about', () => {
  test('are the SHA-256 of all subjects, each once, and commits', () => {
    const commit = 'c'.repeat(40);
    const subject = [
      { digest: { sha256: SHA256, sha512: '00' } },
      { digest: { sha256: SHA256 } },
      { digest: { gitCommit: commit } },
      { digest: { sha256: SHA256.toUpperCase() } },
      { digest: { sha1: commit, gitTree: commit } },
    ];
    const opened = one(about({ subject }));
    expect([opened.artifacts, opened.commits]).toEqual([[SHA256], [commit]]);
    expect(opened.about).toBe(
      `sha256:${SHA256}, sha512:00, sha256:${SHA256}, gitCommit:${commit}, sha256:${SHA256.toUpperCase()} and 2 more`,
    );
  });

  test('is the digest of the file that it signs without a statement', () => {
    expect(one(fileBundle(own))).toMatchObject({ artifacts: [SHA256], kind: 'statement' });
  });

  test('is nothing if it cannot be read', () => {
    expect(one('{}')).toMatchObject({ artifacts: [], commits: [], about: '', kind: 'statement' });
  });

  test('is the kind of its predicate type, verified or not', () => {
    const predicateType = 'https://openvex.dev/ns/v0.2.0';
    expect(one(about({ predicateType }, other)).kind).toBe('vex');
    expect(verify(about({ predicateType }))).toMatchObject({ kind: 'vex', predicate_type: predicateType });
    expect(verify(about({ predicateType: 'https://acme.example/x' }))).toMatchObject({
      kind: 'statement',
      grade: 'logged',
    });
  });

  test('is summed up by the reader of its kind, with texts that a record can hold', () => {
    const predicate = {
      runDetails: { builder: { id: 'https://ci.example/\ud83d' } },
      buildDefinition: { buildType: 't' },
    };
    expect(verify(about({ predicate })).statement).toMatchObject({ builder: { id: 'https://ci.example/\ufffd' } });
    expect(verify(about({ predicate: 'none' }))).toMatchObject({
      grade: 'logged',
      statement: { unreadable: expect.any(String) },
    });
  });

  test('keeps 20 subjects and counts all, and cuts what signers write', () => {
    const subject = Array.from({ length: 1024 }, (_, i) => ({
      name: i < 30 ? 'n'.repeat(300) : '',
      digest: { sha1: '1' },
    }));
    const found = verify(about({ subject: [{ name: '\ud83d', digest: { sha256: SHA256 } }, ...subject.slice(1)] }));
    expect(found).toMatchObject({ grade: 'logged', subject_count: 1024 });
    expect(found.subjects).toHaveLength(20);
    expect(found.subjects[0]).toEqual({ name: '\ufffd', sha256: SHA256 });
    expect(found.subjects[1]?.name).toHaveLength(255);
    expect(JSON.stringify(found).length).toBeLessThan(16_384);
  });
});

describe('a file of bundles', () => {
  test('counts the same bundle once, and keeps each text as it is', () => {
    const text = JSON.stringify(bundle(own));
    const [first, second] = openedOf(`${text}\n${text}\n{}\n`);
    expect([first?.text, second?.text]).toEqual([text, '{}']);
    expect(first?.digest).toBe(hash('sha256', text));
  });

  test('is one bundle if it is printed over many lines', () => {
    const text = JSON.stringify(bundle(own), null, 2);
    expect(openedOf(text).map((opened) => [opened.text, opened.verify(trust).grade])).toEqual([[text, 'logged']]);
  });

  test.each<[string, Uint8Array | string, ReturnType<typeof openBundles>]>([
    ['no text', Uint8Array.of(0xff, 0xfe), { refused: 'The file is not UTF-8' }],
    ['nothing but space', ' \n \n', { refused: 'The file is empty' }],
    ['21 bundles', '{}\n'.repeat(21), { refused: 'The file has 21 bundles. The most are 20' }],
    ['many empty lines', '\n'.repeat(4_000_000), { refused: 'The file is empty' }],
  ])('is refused with %s', (_, file, refused) => {
    expect(openBundles(Buffer.from(file))).toEqual(refused);
  });
});
