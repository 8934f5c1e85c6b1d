import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { bundleTexts, readBundle } from '#shared/signatures/bundles.ts';
import { readPublicKey } from '#shared/signatures/public-key.ts';
import { publicRoot, publicRootText } from '#shared/signatures/public-root.ts';
import { LONGEST_ROOT, readTrustRoot } from '#shared/signatures/trust-root.ts';
import { newKey, OwnRoot } from './own-root.ts';
import { other, own, publicPem } from './own-trust.ts';
import { bundle, envelope } from './sample-bundles.ts';

describe('a file of bundles', () => {
  const one = JSON.stringify(bundle(own));
  const printed = JSON.stringify(bundle(own), undefined, 2);

  test('has one bundle, however it is printed', () => {
    expect(bundleTexts(one)).toEqual([one]);
    expect(bundleTexts(printed)).toEqual([printed]);
    expect(readBundle(printed).form).toBe('bundle');
    expect(readBundle(JSON.stringify(envelope(newKey().privateKey))).form).toBe('envelope');
  });

  test('has several bundles as lines', () => {
    expect(bundleTexts(`${one}\n\n${one}\n`)).toEqual([one, one]);
  });

  test('has at most 20 bundles', () => {
    const lines = (count: number) => Array.from({ length: count }, () => one).join('\n');
    expect(bundleTexts(lines(20))).toHaveLength(20);
    expect(() => bundleTexts(lines(21))).toThrow('The file has 21 bundles. The most are 20');
  });

  const twice = (count: number) => Array.from({ length: count }, () => bundle(own).verificationMaterial.tlogEntries[0]);
  const material = bundle(own).verificationMaterial;
  test.each<[string, string, string | RegExp]>([
    ['is ten megabytes of nested JSON', '['.repeat(10_000_000), 'The bundle is nested deeper than 250 levels'],
    ['is nested too deep', '[{"a":'.repeat(20_000), 'The bundle is nested deeper than 250 levels'],
    [
      'has a member twice',
      one.replace('{"mediaType"', '{"mediaType":"x","mediaType"'),
      "The bundle has the member 'mediaType' twice in one object",
    ],
    [
      'has a member twice, once with escapes',
      one.replace('{"mediaType"', '{"m\\u0065diaType":"x","mediaType"'),
      "The bundle has the member 'mediaType' twice in one object",
    ],
    [
      'has a member twice in an inner object',
      one.replace('"payload":', '"payload":"","payload":'),
      "The bundle has the member 'payload' twice in one object",
    ],
    ['is no JSON', '{"mediaType": 1', 'The bundle is not JSON'],
    ['has a string that does not end', '{"mediaType', 'The bundle is not JSON'],
    ['is XML', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', 'The bundle is not JSON'],
    ['is empty', '', 'The bundle is not JSON'],
    ['is a list', `[${one}]`, 'The bundle is not a JSON object'],
    ['is something else', '{"a":1}', /^The bundle has the media type 'undefined'\. It should be one of: application/],
    [
      'has a later form',
      one.replace('v0.3', 'v0.4'),
      /^The bundle has the media type '[^']*v0\.4\+json'\. It should be one of: /,
    ],
    [
      'has no certificate',
      JSON.stringify({ ...bundle(own), verificationMaterial: {} }),
      'invalid bundle: verificationMaterial.content',
    ],
    [
      'has a chain of certificates in the form 0.3',
      one.replace('"certificate":', '"x509CertificateChain":'),
      /invalid bundle|cannot be read/,
    ],
    [
      'has too many log entries',
      JSON.stringify({ ...bundle(own), verificationMaterial: { ...material, tlogEntries: twice(17) } }),
      'The bundle has 17 log entries. The most are 16',
    ],
    [
      'is an envelope without a payload',
      JSON.stringify({ ...envelope(newKey().privateKey), payload: '' }),
      'The envelope has no payload',
    ],
  ])('is refused if it %s', (_, text, sentence) => {
    expect(() => readBundle(text)).toThrow(sentence);
  });
});

describe('a trust root', () => {
  const text = (changed = {}) => JSON.stringify(own.json(changed));
  const [log] = own.json()['tlogs'] as [{ publicKey: object }];
  const [ca] = own.json()['certificateAuthorities'] as [object];
  const timeless = { ...log, publicKey: { ...log.publicKey, validFor: undefined } };

  test('is read from one JSON text, or from lines of several instances', () => {
    expect(readTrustRoot(text()).parts).toHaveLength(1);
    expect(readTrustRoot(JSON.stringify(own.json(), undefined, 2)).parts).toHaveLength(1);
    expect(readTrustRoot(`${text()}\n${JSON.stringify(other.json())}\n`).parts).toHaveLength(2);
    expect(readTrustRoot(text()).digest).toMatch(/^[0-9a-f]{64}$/);
    expect(readTrustRoot(text()).digest).not.toBe(readTrustRoot(JSON.stringify(new OwnRoot().json())).digest);
  });

  test('is there for the public instance without a network', () => {
    const { parts, digest } = publicRoot();
    expect(parts.map(({ thresholds }) => thresholds)).toEqual([
      { tlogThreshold: 1, ctlogThreshold: 1, timestampThreshold: 1 },
    ]);
    expect(parts[0]?.material.tlogs.map(({ baseURL }) => baseURL)).toContain('https://rekor.sigstore.dev');
    expect(readTrustRoot(publicRootText()).digest).toBe(digest);
  });

  test.each<[string, string, string | RegExp]>([
    [
      'has a log without the start of its validity',
      text({ tlogs: [timeless] }),
      "The key of the log 'https://log.example' in the trust root does not say since when it is valid",
    ],
    [
      'has a log of certificates without the start of its validity',
      text({ ctlogs: [timeless] }),
      "The key of the log 'https://log.example' in the trust root does not say since when it is valid",
    ],
    [
      'has no certificate authority',
      text({ certificateAuthorities: [] }),
      'The trust root has no certificate authority',
    ],
    [
      'could prove no time',
      text({ tlogs: [], timestampAuthorities: [] }),
      'The trust root has neither a transparency log nor a timestamp authority, so nothing would prove a time',
    ],
    [
      'has another media type',
      text({ mediaType: 'application/json' }),
      "The trust root has the media type 'application/json', which is none of a trust root",
    ],
    [
      'has a broken certificate',
      text({ certificateAuthorities: [{ ...ca, certChain: { certificates: [{ rawBytes: 'AAAA' }] } }] }),
      /^The trust root cannot be read: /,
    ],
    [
      'has a broken key',
      text({ tlogs: [{ ...log, publicKey: { ...log.publicKey, rawBytes: 'AAAA' } }] }),
      /^The trust root cannot be read: /,
    ],
    [
      'has a member twice',
      text().replace('{', '{"tlogs":[],'),
      "The trust root has the member 'tlogs' twice in one object",
    ],
    ['is no JSON', '-----BEGIN PUBLIC KEY-----', 'The trust root is not JSON'],
    [
      'is too long',
      ' '.repeat(LONGEST_ROOT + 1),
      `The trust root has ${LONGEST_ROOT + 1} characters. The most are ${LONGEST_ROOT}`,
    ],
  ])('is refused if it %s', (_, given, sentence) => {
    expect(() => readTrustRoot(given)).toThrow(sentence);
  });
});

describe('a public key', () => {
  const pair = newKey();
  const pem = publicPem(pair.privateKey);
  const KIND =
    'The key is of another kind. It should be an ECDSA key on P-256 or P-384, an Ed25519 key, or an RSA key of at least 2048 bits';

  test('may have the older form of RSA keys', () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    expect(readPublicKey(publicKey.export({ type: 'pkcs1', format: 'pem' }).toString()).type).toBe('RSA 2048');
  });

  test.each<[string, string, string]>([
    [
      'is a private key',
      pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      'This is a private key. Send the public key, and replace this pair of keys',
    ],
    [
      'is followed by another',
      pem + pem,
      'The text is not one public key as PEM, which begins with -----BEGIN PUBLIC KEY-----',
    ],
    [
      'is a certificate',
      '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
      'The text is not one public key as PEM, which begins with -----BEGIN PUBLIC KEY-----',
    ],
    [
      'is no PEM',
      'ssh-ed25519 AAAA',
      'The text is not one public key as PEM, which begins with -----BEGIN PUBLIC KEY-----',
    ],
    [
      'is broken',
      '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n',
      'The text has the form of a public key as PEM, and its content is none',
    ],
    ['is of a short RSA', publicPem(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey), KIND],
    ['is on P-521', publicPem(generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey), KIND],
    ['is on secp256k1', publicPem(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey), KIND],
    ['is of Ed448', publicPem(generateKeyPairSync('ed448').privateKey), KIND],
    [
      'is for padding that is chosen by the signer',
      publicPem(generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).privateKey),
      KIND,
    ],
  ])('is refused if it %s', (_, given, sentence) => {
    expect(() => readPublicKey(given)).toThrow(sentence);
  });
});
