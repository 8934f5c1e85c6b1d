import { describe, expect, test } from 'vitest';
import type { Trust } from '#shared/signatures/verify-bundle.ts';
import { FAULTS } from './faulty-bundles.ts';
import { newKey } from './own-root.ts';
import { other, own, refusal, root, rootOf, trust, trustedKey, verify } from './own-trust.ts';
import { ARTIFACT, bundle, envelope, fileBundle, SHA256, SUBJECT, statement } from './sample-bundles.ts';

/** Bundles and signatures that are refused, with the sentences. */

describe('a bundle is refused', () => {
  test.each(FAULTS)('a bundle is refused with %s', (_, make, sentence) => {
    expect(() => verify(make())).toThrow(sentence);
  });

  test('a bundle is refused with the digest of another file', () => {
    expect(() => verify(fileBundle(own, Buffer.from('another')), trust, { sha256: SHA256, bytes: ARTIFACT })).toThrow(
      'The digest in the bundle is not the digest of the file',
    );
  });

  test('a bundle is refused with each sentence of the instances of a trust root', () => {
    const made = bundle(own, { identity: { isLogged: false } });
    expect(() => verify(made, { root: rootOf(own, other), refusal })).toThrow(
      'expected 1 SCTs, got 0; Failed to verify certificate chain: no valid certificate path found',
    );
  });

  test('a bundle is refused for its signer, whatever the other instances of the trust root say', () => {
    const made = bundle(own, { identity: { issuer: 'https://accounts.example' } });
    expect(() => verify(made, { root: rootOf(own, other), refusal })).toThrow(
      `The signer is ${SUBJECT} of https://accounts.example`,
    );
  });
});

describe('a signature by a public key is refused', () => {
  const { privateKey: key } = newKey();
  const byKey: Trust = { key: trustedKey(key) };
  test.each<[string, () => unknown, string]>([
    ['with another key', () => envelope(newKey().privateKey), 'signature verification failed'],
    [
      'with a certificate',
      () => bundle(own),
      'The bundle has a certificate, and a signature by the given public key is asked for',
    ],
    [
      'with two signatures',
      () => ({ ...envelope(key), signatures: [...envelope(key).signatures, ...envelope(key).signatures] }),
      'The envelope has 2 signatures. It should have exactly one',
    ],
    [
      'without a signature',
      () => ({ ...envelope(key), signatures: [] }),
      'The envelope has 0 signatures. It should have exactly one',
    ],
    [
      'with another payload',
      () => ({
        ...envelope(key),
        payload: Buffer.from(JSON.stringify(statement({ predicate: 1 }))).toString('base64'),
      }),
      'signature verification failed',
    ],
    [
      'with another payload type',
      () => envelope(key, { payloadType: 'application/json' }),
      "The payload has the type 'application/json'. It should be 'application/vnd.in-toto+json'",
    ],
  ])('a signature by a public key is refused %s', (_, make, sentence) => {
    expect(() => verify(make(), byKey)).toThrow(sentence);
  });

  test('a signature by a public key is refused if the root does not know the log', () => {
    const made = bundle(other, { key });
    expect(() => verify(made, { key: trustedKey(key), root })).toThrow('inclusion promise could not be verified');
  });
});
