import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { bundleFromJSON } from '@sigstore/bundle';
import { TrustedRoot } from '@sigstore/protobuf-specs';
import { toSignedEntity, toTrustMaterial, Verifier } from '@sigstore/verify';
import { beforeAll, describe, expect, it } from 'vitest';
import { micros } from '#shared/base/time.ts';
import { sha256 } from '#shared/bodies/bodies.ts';
import { trustedRoot } from '#shared/log/rules/description.ts';
import { envelopeOf, keyIdOf, PAYLOAD_TYPE, preAuthEncoding, type SignedPayload } from '#shared/log/rules/dsse.ts';
import { parseEntry } from '#shared/log/rules/entry.ts';
import { bundleOf, type SigstoreBundle, statementEntry } from '#shared/log/rules/sigstore-bundle.ts';
import { piecesOf, type Summary, statementText, subjectsOf } from '#shared/log/rules/verification-summary.ts';
import { formatCheckpoint } from '#shared/tlog/checkpoint.ts';
import { localKey, privateKeyOf } from '#shared/tlog/ed25519.ts';
import { verifierKey } from '#shared/tlog/keys.ts';
import { formatNote } from '#shared/tlog/notes.ts';
import { inclusionProof } from '#shared/tlog/proofs.ts';
import { logSigner, signNote } from '#shared/tlog/signer.ts';
import { leafHash, rootOfLeaves } from '#shared/tlog/tree.ts';

const HOST = 'https://evidence.example';
const LOG_KEY = localKey(privateKeyOf(new Uint8Array(32)));

/** The P-256 key of RFC 6979, A.2.5. */
const KEY = createPrivateKey({
  format: 'jwk',
  key: {
    kty: 'EC',
    crv: 'P-256',
    d: Buffer.from('C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721', 'hex').toString('base64url'),
    x: Buffer.from('60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6', 'hex').toString('base64url'),
    y: Buffer.from('7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299', 'hex').toString('base64url'),
  },
});
const PUBLIC_KEY = createPublicKey(KEY).export({ format: 'der', type: 'spki' });

const SUMMARY: Summary = {
  kind: 'artifact',
  subjects: [{ name: 'app', sha256: 'ab'.repeat(32) }],
  uri: `${HOST}/api/v2/artifacts/acme/web`,
  passed: true,
  policy: { uri: `${HOST}/api/v2/flows/acme/web`, sha256: 'cd'.repeat(32) },
  inputs: [{ uri: `${HOST}/api/v2/receipts/acme/trails/web/run/1`, sha256: 'ef'.repeat(32) }],
  at: micros(1_763_683_200_000_000),
};
const VERIFIER = { host: HOST, nonce: '00'.repeat(16) };

describe('the envelope', () => {
  it('signs the encoding of the specification', () => {
    expect(preAuthEncoding('http://example.com/HelloWorld', Buffer.from('hello world')).toString()).toBe(
      'DSSEv1 29 http://example.com/HelloWorld 11 hello world',
    );
  });

  it('counts bytes and not characters', () => {
    expect(preAuthEncoding('é', Buffer.from('ü')).toString()).toBe('DSSEv1 2 é 2 ü');
  });

  it('names the key by its OpenSSH fingerprint', () => {
    // From `ssh-keygen -lf` of the same key.
    expect(keyIdOf(PUBLIC_KEY)).toBe('SHA256:hfuNWmjIYvsBGZ6dpCLTTAEa5LxbZABRHHVoynAxFlo');
  });
});

describe('the verification summary', () => {
  const predicateOf = (summary: Partial<Summary>) =>
    JSON.parse(statementText({ ...SUMMARY, ...summary }, VERIFIER)).predicate;

  it('is an in-toto statement with all fields of a summary', () => {
    expect(JSON.parse(statementText(SUMMARY, VERIFIER))).toEqual({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: 'app', digest: { sha256: 'ab'.repeat(32) } }],
      predicateType: 'https://slsa.dev/verification_summary/v1',
      predicate: {
        verifier: { id: `${HOST}/verifier/v1` },
        timeVerified: '2025-11-21T00:00:00.000Z',
        resourceUri: SUMMARY.uri,
        policy: { uri: SUMMARY.policy.uri, digest: { sha256: 'cd'.repeat(32) } },
        inputAttestations: [{ uri: SUMMARY.inputs[0]?.uri, digest: { sha256: 'ef'.repeat(32) } }],
        verificationResult: 'PASSED',
        verifiedLevels: ['EVIDENCE_ARTIFACT_COMPLIANT'],
        [`${HOST}/nonce`]: '00'.repeat(16),
      },
    });
  });

  it('reaches no level if the verdict is not compliant', () => {
    expect(predicateOf({ passed: false })).toMatchObject({ verificationResult: 'FAILED', verifiedLevels: ['FAILED'] });
  });

  it('names grade and signer of the evidence', () => {
    const signer = { name: 'ci', version: 2 };
    const evidence = [
      { name: 'build', type: 'provenance', attestation: 'a1', grade: 'logged', signer },
      { name: 'review', type: 'generic', attestation: 'a2', grade: 'stated' },
    ];
    expect(predicateOf({ evidence })[`${HOST}/evidence`]).toEqual(evidence);
  });

  it('has no digest for a policy without a text', () => {
    expect(predicateOf({ policy: { uri: HOST } }).policy).toEqual({ uri: HOST });
  });
});

describe('pieces of subjects', () => {
  const subjects = Array.from({ length: 2001 }, (_, i) => ({ name: `app-${i}`, sha256: 'ab'.repeat(32) }));

  it('have at most 1,000 subjects and every subject once', () => {
    const pieces = [1, 2, 3].map((piece) => subjectsOf(subjects, piece));
    expect(pieces.map(({ length }) => length)).toEqual([1000, 1000, 1]);
    expect(pieces.flat()).toEqual(subjects);
    expect([subjects.slice(0, 1000), subjects.slice(0, 1001), subjects].map(piecesOf)).toEqual([1, 2, 3]);
  });
});

describe('the bundle, as the verifier of sigstore reads it', () => {
  const statement = (text: string): SignedPayload => {
    const payload = Buffer.from(text);
    return { payload, publicKey: PUBLIC_KEY, signature: sign('sha256', preAuthEncoding(PAYLOAD_TYPE, payload), KEY) };
  };
  const signed = statement(statementText(SUMMARY, VERIFIER));
  const digest = sha256(preAuthEncoding(PAYLOAD_TYPE, signed.payload));
  const entry = statementEntry({ ...signed, digest });
  const log = verifierKey('acme.log.example', 'ed25519', LOG_KEY.publicKey);
  const INDEX = 2;
  let bundle: SigstoreBundle;

  beforeAll(async () => {
    const leaves = [Buffer.from('a'), Buffer.from('b'), entry, Buffer.from('c'), Buffer.from('d')].map(leafHash);
    const root = rootOfLeaves(leaves);
    const text = formatCheckpoint({ origin: log.name, size: leaves.length, root });
    const checkpoint = formatNote(await signNote(text, [logSigner(log.name, LOG_KEY)]));
    const readTile = async () => leaves;
    const hashes = await inclusionProof(INDEX, { size: leaves.length, readTile });
    bundle = bundleOf(signed, entry, { log, index: INDEX, size: leaves.length, root, hashes, checkpoint });
  });

  /** @param origin the log that the caller trusts */
  function verify(value: unknown, origin = log.name, trusted = PUBLIC_KEY) {
    const key = verifierKey(origin, 'ed25519', LOG_KEY.publicKey);
    const trust = toTrustMaterial(TrustedRoot.fromJSON(trustedRoot(key)), () => ({
      publicKey: createPublicKey({ key: trusted, format: 'der', type: 'spki' }),
      validFor: () => true,
    }));
    const options = { tlogThreshold: 1, ctlogThreshold: 0, timestampThreshold: 0 };
    return new Verifier(trust, options).verify(toSignedEntity(bundleFromJSON(value)));
  }
  /** The bundle after a change of a copy. */
  function changed(
    change: (copy: SigstoreBundle, entry: SigstoreBundle['verificationMaterial']['tlogEntries'][0]) => void,
  ) {
    const copy = structuredClone(bundle);
    const [first] = copy.verificationMaterial.tlogEntries;
    if (!first) throw new Error('The bundle has no entry');
    change(copy, first);
    return copy;
  }

  it('accepts it', () => {
    expect(() => verify(bundle)).not.toThrow();
  });

  it.each<[string, Parameters<typeof changed>[0]]>([
    [
      'another payload',
      (copy) => {
        copy.dsseEnvelope.payload = Buffer.from(statementText({ ...SUMMARY, passed: false }, VERIFIER)).toString(
          'base64',
        );
      },
    ],
    [
      'another payload with a signature of its own',
      (copy) => {
        copy.dsseEnvelope = envelopeOf(statement(statementText({ ...SUMMARY, passed: false }, VERIFIER)));
      },
    ],
    [
      'another hash in the proof',
      (_, { inclusionProof: proof }) => {
        proof.hashes[0] = Buffer.alloc(32).toString('base64');
      },
    ],
    [
      'another index',
      (_, first) => {
        first.logIndex = '3';
        first.inclusionProof.logIndex = '3';
      },
    ],
    [
      'another entry',
      (_, first) => {
        const other = statementEntry({ ...signed, digest: Buffer.alloc(32) });
        first.canonicalizedBody = other.toString('base64');
      },
    ],
    [
      'another checkpoint',
      (_, { inclusionProof: { checkpoint } }) => {
        checkpoint.envelope = checkpoint.envelope.replace('\n5\n', '\n6\n');
      },
    ],
  ])('refuses %s', (_, change) => {
    expect(() => verify(changed(change))).toThrow();
  });

  it('refuses it with the trusted root of another organization', () => {
    expect(() => verify(bundle, 'other.log.example')).toThrow();
  });

  it('refuses it with another key', () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    expect(() => verify(bundle, log.name, publicKey.export({ format: 'der', type: 'spki' }))).toThrow();
  });

  it('has an entry that the integrator accepts', () => {
    expect(parseEntry(entry)).toEqual({
      kind: 'statement',
      subject: { kind: 'statement', digest: digest.toString('hex') },
    });
  });
});
