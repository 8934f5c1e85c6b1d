import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type AttestationId, newId } from '#shared/base/ids.ts';
import { canonicalJson } from '#shared/base/proofs/hash-chain.ts';
import { micros } from '#shared/base/time.ts';
import { openBundles } from '#shared/evidence/rules/bundles/inspect-bundles.ts';
import { slotProof } from '#shared/evidence/rules/slot-proof.ts';
import type { SlotChange } from '#shared/evidence/rules/trail-state.ts';
import type { Verification } from '#shared/evidence/rules/verification.ts';
import { readTrustRoot, type TrustRoot } from '#shared/signatures/trust-root.ts';
import { PUBLIC_ROOT, type SignerRecord, type TrustRootRecord } from '#shared/signers/rules/records.ts';
import type { TrustData } from '#shared/signers/rules/verify-as-signer.ts';
import { provenanceV1 } from '#test/shared/evidence/rules/predicates/sample-predicates.ts';
import { newKey } from '#test/shared/signatures/own-root.ts';
import { other, own, publicPem } from '#test/shared/signatures/own-trust.ts';
import {
  ARTIFACT,
  bundle,
  envelope,
  fileBundle,
  ISSUER,
  SHA256,
  SUBJECT,
  statement,
} from '#test/shared/signatures/sample-bundles.ts';
import { extendedRoot } from '#test/shared/signers/public-root/tuf-repository.ts';
import { Fault } from '#verify/fault.ts';
import { Scope } from '#verify/scope.ts';
import { SignedSlots } from '#verify/signatures/signed-slots.ts';
import { StoredBundles } from '#verify/signatures/stored-bundles.ts';
import { asExport } from '../sample-export.ts';

/** Bundles of an export whose service says more than they prove (rules/verification.md#bundles-of-an-export). */

const versioned = {
  v: 1 as const,
  id: 'id',
  version: 2,
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
const aSigner = (changed: Partial<SignerRecord> = {}): SignerRecord => ({
  ...versioned,
  name: 'ci',
  root: 'own',
  issuer: ISSUER,
  subjects: [SUBJECT],
  claims: [],
  ...changed,
});
const { privateKey: key } = newKey();
const OWN = aRoot('own', 'sigstore', JSON.stringify(own.json()));
const KEY = aRoot('key', 'public-key', publicPem(key));
const BY_KEY = aSigner({ root: 'key', issuer: null, subjects: [] });

const payload = JSON.stringify(statement({ predicate: provenanceV1() }));
const LOGGED = JSON.stringify(bundle(own, { payload }));
const SIGNED = JSON.stringify(envelope(key, { payload }));

/** What the service records of a bundle. */
function recorded(text: string, trust: TrustData, file?: Buffer): Verification {
  const opened = openBundles(Buffer.from(text), file);
  const [one] = 'bundles' in opened ? opened.bundles : [];
  return one?.verify(trust) ?? expect.fail('no bundle');
}

interface Exported {
  text?: string;
  signers?: readonly SignerRecord[];
  roots?: readonly TrustRootRecord[];
  /** What the record says, if it is not what the service would have said. */
  said?: Partial<Verification>;
  fingerprint?: string | null;
  isLogged?: boolean;
  /** Digests of the files of the attestation. */
  files?: readonly { sha256: string }[];
  publicRoots?: readonly TrustRoot[];
  /** The file that a bundle without a statement signs. */
  signedFile?: Buffer;
}

const lines = (records: readonly object[]): Buffer =>
  Buffer.from(records.map((record) => `${canonicalJson({ item: 'version', ...record })}\n`).join(''));

/** Verifies one attestation of an export. @returns what was counted */
async function verify({ text = LOGGED, signers = [aSigner()], roots = [OWN], said = {}, ...of }: Exported) {
  const verification = { ...recorded(text, { signers: [aSigner()], roots: [OWN] }), ...said };
  const sha256 = hash('sha256', text);
  const contents: [string, Buffer][] = [
    [`data/files/${sha256}`, Buffer.from(text)],
    ...(of.signedFile ? [[`data/files/${hash('sha256', of.signedFile)}`, of.signedFile] as [string, Buffer]] : []),
    ...(roots.length > 0 ? [['data/records/trust-roots-0001.ndjson', lines(roots)] as [string, Buffer]] : []),
    ...(signers.length > 0 ? [['data/records/signers-0001.ndjson', lines(signers)] as [string, Buffer]] : []),
  ];
  const counts = { 'bundles verified': 0, 'bundles not verified': 0 };
  const scope = new Scope();
  const { fingerprint = SHA256, isLogged = true, files = [{ sha256 }], publicRoots = [] } = of;
  const bundles = new StoredBundles({ files: asExport(new Map(contents)), scope, counts, publicRoots });
  await bundles.verify('line 1', { id: 'a1', fingerprint, verification, files }, isLogged);
  const row = scope.rows().find(({ name }) => name === 'attestations/bundle');
  return { ...counts, row };
}

const faultOf = async (exported: Exported): Promise<string> => {
  const outcome = await verify(exported).catch((error: unknown) => error);
  return outcome instanceof Fault ? outcome.message : expect.fail(`no fault: ${JSON.stringify(outcome)}`);
};

const byKey = recorded(SIGNED, { signers: [BY_KEY], roots: [KEY] });
const ofKey = { text: SIGNED, signers: [BY_KEY], roots: [KEY] };

describe('a bundle of an export', () => {
  test('follows from its signer and its root', async () => {
    expect(await verify({})).toMatchObject({ 'bundles verified': 1, row: { lines: 1, follows: 1 } });
    expect(byKey.grade).toBe('signed');
    expect(await verify({ ...ofKey, said: byKey })).toMatchObject({ 'bundles verified': 1, row: { follows: 1 } });
  });

  test('follows from the public root if the verifier has the same one', async () => {
    const text = readFileSync(
      fileURLToPath(new URL('../../shared/signatures/published.sigstore.json', import.meta.url)),
      'utf8',
    );
    const signer = aSigner({
      root: PUBLIC_ROOT,
      subjects: [],
      claims: [{ name: 'source_repository_identifier', values: ['772247423'] }],
    });
    const said = recorded(text, { signers: [signer], roots: [] });
    expect(said).toMatchObject({ grade: 'logged', root: { name: PUBLIC_ROOT, version: null } });
    const [{ sha256 = '' } = {}] = said.subjects.map((one) => ({ sha256: one.sha256 ?? '' }));
    const exported = { text, signers: [signer], roots: [], said, fingerprint: sha256 };
    expect(await verify(exported)).toMatchObject({ 'bundles verified': 1, row: { follows: 1 } });
    const root = { name: PUBLIC_ROOT, version: null, digest: 'a'.repeat(64) };
    expect(await verify({ ...exported, said: { ...said, root } })).toMatchObject({
      'bundles verified': 0,
      row: { 'not covered': 1, note: `give the public root with the SHA-256 ${root.digest}: --public-root FILE` },
    });
  });

  test('follows from a public root that the caller gives, and from no other one', async () => {
    const refreshed = JSON.stringify(extendedRoot(own));
    const signer = aSigner({ root: PUBLIC_ROOT });
    const publicRoot = { text: refreshed, digest: hash('sha256', refreshed) };
    const said = recorded(LOGGED, { signers: [signer], roots: [], publicRoot });
    expect(said.root).toEqual({ name: PUBLIC_ROOT, version: null, digest: publicRoot.digest });
    const exported = { signers: [signer], roots: [], said };
    const given = readTrustRoot(refreshed);
    expect(await verify({ ...exported, publicRoots: [given] })).toMatchObject({ row: { follows: 1 } });
    const another = readTrustRoot(JSON.stringify(extendedRoot(other)));
    expect(await verify({ ...exported, publicRoots: [another] })).toMatchObject({ row: { 'not covered': 1 } });
    const digest = another.digest;
    const lied = { ...exported, said: { ...said, root: { ...said.root, digest } as Verification['root'] } };
    expect(await faultOf({ ...lied, publicRoots: [another] })).toMatch(
      /^the bundle of attestation a1 is not verified: /,
    );
  });

  test('follows with the file that it signs, if it has no statement', async () => {
    const text = JSON.stringify(fileBundle(own));
    const said = recorded(text, { signers: [aSigner()], roots: [OWN] }, ARTIFACT);
    expect(said).toMatchObject({ grade: 'logged', subjects: [{ sha256: SHA256 }] });
    const files = [{ sha256: hash('sha256', text) }, { sha256: SHA256 }];
    const exported = { text, said, signedFile: ARTIFACT, files };
    expect(await verify(exported)).toMatchObject({ 'bundles verified': 1, row: { follows: 1 } });
    expect(await verify({ ...exported, fingerprint: null })).toMatchObject({ 'bundles verified': 1 });

    const another = Buffer.from('another file');
    const named = { name: '', sha256: hash('sha256', another) };
    const swapped = {
      ...{ text, signedFile: another, fingerprint: named.sha256 },
      ...{ said: { ...said, subjects: [named] }, files: [...files, { sha256: named.sha256 }] },
    };
    expect(await faultOf(swapped)).toContain('The digest in the bundle is not the digest of the file');
    expect(await faultOf({ ...exported, fingerprint: named.sha256 })).toContain(`about ${SHA256}, not about`);
    expect(await faultOf({ ...exported, files: files.slice(0, 1) })).toContain(`signs the file ${SHA256}, and`);
    // The log names the erasure of a file, which the record is compared with.
    const erased = files.map((file, n) => (n === 1 ? { sha256: '' } : file));
    expect(await verify({ ...exported, files: erased })).toMatchObject({ row: { erased: 1 } });
    expect(await verify({ ...exported, files: [{ sha256: '' }] })).toMatchObject({ row: { erased: 1 } });
  });

  test('is counted if the service says that it is not verified', async () => {
    const said = recorded(JSON.stringify(bundle(other)), { signers: [aSigner()], roots: [OWN] });
    expect(await verify({ said })).toEqual({ 'bundles verified': 0, 'bundles not verified': 1, row: undefined });
  });

  test('is later if signer and attestation came after the checkpoint', async () => {
    expect(await verify({ signers: [], isLogged: false })).toMatchObject({ row: { later: 1 } });
    expect(await verify({ isLogged: false })).toMatchObject({ 'bundles verified': 1, row: { later: 1 } });
  });

  test.each<[string, Exported, string]>([
    [
      'signer is another one',
      { signers: [aSigner({ subjects: [`${SUBJECT}s`] })] },
      'the bundle of attestation a1 is not verified: The certificate names',
    ],
    ['signer was deleted', { signers: [aSigner({ deleted: true })] }, "is not verified: The signer 'ci' is deleted"],
    [
      'signer has another root',
      { signers: [aSigner({ root: 'key' })] },
      "is not verified: The signer 'ci' has the trust root 'key'",
    ],
    [
      'signer is missing',
      { signers: [] },
      "no line has version 2 of signer 'ci', which the bundle of attestation a1 names",
    ],
    [
      'root is missing',
      { roots: [] },
      "no line has version 2 of trust root 'own', which the bundle of attestation a1 names",
    ],
    [
      'root has another text',
      { roots: [{ ...OWN, text: JSON.stringify(other.json()) }] },
      "the text of version 2 of trust root 'own' does not have its SHA-256",
    ],
    [
      'root is another one',
      { roots: [aRoot('own', 'sigstore', JSON.stringify(other.json()))] },
      'is not verified: Failed to verify certificate chain: no valid certificate path found',
    ],
    [
      'root has another digest',
      { said: { root: { name: 'own', version: 2, digest: 'a'.repeat(64) } } },
      'root of the bundle of attestation a1 is {"digest":"aaaa',
    ],
    [
      'grade is higher',
      { ...ofKey, said: { ...byKey, grade: 'logged' } },
      'grade of the bundle of attestation a1 is "logged", the bundle gives "signed"',
    ],
    [
      'claims are others',
      { said: { claims: { runner_environment: 'self-hosted' } } },
      'claims of the bundle of attestation a1 is',
    ],
    ['time is another one', { said: { times: [{ at: 1, from: 'log' }] } }, 'times of the bundle of attestation a1 is'],
    [
      'builder is another one',
      { said: { statement: { ...provenanceV1(), builder: { id: 'https://acme.example/safe' } } } },
      'policies read {"grade":"logged"',
    ],
    ['artifact is another one', { fingerprint: '0'.repeat(64) }, `is about ${SHA256}, not about 0000`],
    [
      'file is not that of the attestation',
      { files: [{ sha256: 'b'.repeat(64) }] },
      'and the attestation has no such file',
    ],
    ['signer is not named', { said: { signer: null } }, 'is logged, and names no signer, root or digest'],
  ])('is a fault if its %s', async (_, exported, sentence) => {
    expect(await faultOf(exported)).toContain(sentence);
  });
});

describe('the signature that a moment names', () => {
  const verification = recorded(LOGGED, { signers: [aSigner()], roots: [OWN] });
  const proof = slotProof({ verification }) ?? expect.fail('no proof');
  const id = newId<AttestationId>(micros(1));
  const change = (of: Partial<Extract<SlotChange, { kind: 'attestation' }>>): SlotChange => ({
    ...{ kind: 'attestation', scope: { kind: 'trail' }, name: 'build', type: 'provenance', id },
    ...{ compliant: true, overridden: null, ...of },
  });
  const outcome = (changes: SlotChange[], derived: Record<string, unknown>) => () => {
    const slots = new SignedSlots();
    slots.add(id, changes);
    slots.require('line 1', id, derived);
  };

  test('is that of its record', () => {
    expect(outcome([change({ proof })], { verification })).not.toThrow();
    expect(outcome([change({})], {})).not.toThrow();
    expect(outcome([change({ proof: { grade: 'observed' } })], { observed: true })).not.toThrow();
    expect(outcome([change({})], { observed: true })).not.toThrow();
  });

  test.each<[string, SlotChange[], Record<string, unknown>]>([
    ['the record has none', [change({ proof })], {}],
    ['the service observed nothing', [change({ proof: { grade: 'observed' } })], {}],
    ['the record has a lower grade', [change({ proof })], { verification: { ...verification, grade: 'signed' } }],
    ['the moment leaves it out', [change({})], { verification }],
    ['its slots differ', [change({ proof: { grade: 'stated' } }), change({ proof })], { verification }],
  ])('is a fault if %s', (_, changes, derived) => {
    expect(outcome(changes, derived)).toThrow(/^the moment of attestation .+ has the signature .+, its record gives /);
  });
});
