import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readTrustRoot } from '#shared/signatures/trust-root.ts';
import { LIBRARY, type Trust } from '#shared/signatures/verify-bundle.ts';
import { newKey, SIGNED_AT } from './own-root.ts';
import { other, own, refusal, root, rootOf, trust, trustedKey, verify } from './own-trust.ts';
import { ARTIFACT, bundle, envelope, fileBundle, ISSUER, SHA256, SUBJECT, statement } from './sample-bundles.ts';

/** Bundles of an instance of Sigstore of our own, as they should be. What is refused is in refused-bundles.test.ts. */

const anybody: Trust = { root, refusal: () => undefined };

describe('a bundle that is right', () => {
  test.each([
    ['0.1', 'application/vnd.dev.sigstore.bundle+json;version=0.1', true, false],
    ['0.2', 'application/vnd.dev.sigstore.bundle+json;version=0.2', true, true],
    ['0.3', 'application/vnd.dev.sigstore.bundle.v0.3+json', true, true],
  ])('has its signer, its log entry and its time in the form %s', (_, mediaType, hasPromise, hasProof) => {
    const verified = verify(bundle(own, { mediaType, hasPromise, hasProof }));
    expect(verified).toMatchObject({
      grade: 'logged',
      logs: [{ index: '1' }],
      times: [{ seconds: SIGNED_AT, from: 'log' }],
      statement: { predicateType: 'https://slsa.dev/provenance/v1', subjects: [{ name: 'web.tar' }] },
    });
    expect(verified.signer).toEqual({
      kind: 'certificate',
      issuer: ISSUER,
      subject: SUBJECT,
      subjectKind: 'uri',
      claims: {
        runner_environment: 'github-hosted',
        source_repository_uri: 'https://github.com/acme/web',
        source_repository_identifier: '74',
        build_trigger: 'push',
      },
    });
  });

  test('has its time from a timestamp authority, if the log promises none', () => {
    const { grade, times } = verify(bundle(own, { hasPromise: false, hasTimestamp: true }));
    expect({ grade, times }).toEqual({ grade: 'logged', times: [{ seconds: SIGNED_AT, from: 'timestamp authority' }] });
  });

  test('names an address of mail as another kind of subject', () => {
    const verified = verify(bundle(own, { identity: { san: { email: 'release@acme.example' } } }), anybody);
    expect(verified.signer).toMatchObject({ subject: 'release@acme.example', subjectKind: 'email' });
  });

  test('signs the bytes of a file without a statement', () => {
    const verified = verify(fileBundle(own), trust, { sha256: SHA256, bytes: ARTIFACT });
    expect(verified).toMatchObject({ grade: 'logged', statement: undefined });
  });

  test('is about one of several subjects', () => {
    const subject = [{ digest: { sha512: '00' } }, { name: 'web.tar', digest: { sha1: '11', sha256: SHA256 } }];
    const { statement: read } = verify(bundle(own, { payload: JSON.stringify(statement({ subject })) }));
    expect(read?.subjects).toEqual([{ name: '', digest: { sha512: '00' } }, subject[1]]);
  });

  test('is about whatever it names if no artifact is given', () => {
    expect(verify(bundle(own), trust, undefined).statement?.subjects).toHaveLength(1);
  });

  test('is verified with the instance of a trust root that it belongs to', () => {
    expect(verify(bundle(other), { root: rootOf(own, other), refusal }).grade).toBe('logged');
  });

  test('needs no log where the instance has none, as that of a code host for private repositories', () => {
    const json = own.json({ tlogs: [], ctlogs: [] });
    const withoutLogs: Trust = { root: readTrustRoot(JSON.stringify(json)), refusal };
    const made = bundle(own, { hasPromise: false, hasProof: false, hasTimestamp: true, identity: { isLogged: false } });
    expect(verify(made, withoutLogs)).toMatchObject({ grade: 'logged', logs: [] });
  });
});

describe('a signature by a public key', () => {
  const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey;
  test.each([
    ['P-256', newKey().privateKey, undefined],
    ['P-384', p384, 'sha256'],
    ['P-384', p384, 'sha384'],
    ['Ed25519', generateKeyPairSync('ed25519').privateKey, undefined],
    ['RSA 2048', generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey, undefined],
  ])('is verified with a key of the type %s in a bare envelope', (type, key, digest) => {
    const trusted = trustedKey(key);
    const verified = verify(envelope(key, { ...(digest !== undefined && { digest }) }), { key: trusted });
    expect(trusted.type).toBe(type);
    expect(verified).toMatchObject({ grade: 'signed', logs: [], times: [] });
    expect(verified.signer).toEqual({ kind: 'key', digest: trusted.digest });
  });

  test('is logged only with a root that proves the log entry', () => {
    const { privateKey: key } = newKey();
    const made = bundle(own, { key });
    expect(verify(made, { key: trustedKey(key) })).toMatchObject({ grade: 'signed', logs: [], times: [] });
    expect(verify(made, { key: trustedKey(key), root })).toMatchObject({ grade: 'logged', logs: [{ index: '1' }] });
  });

  test('is refused without a log entry if a root is asked for', () => {
    const { privateKey: key } = newKey();
    expect(() => verify(envelope(key), { key: trustedKey(key), root })).toThrow('expected 1 timestamps, got 0');
  });
});

test('the named version of the library is the installed one', async () => {
  const { default: described } = await import('@sigstore/verify/package.json', { with: { type: 'json' } });
  expect(LIBRARY).toBe(`${described.name} ${described.version}`);
});
