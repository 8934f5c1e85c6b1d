import { generateKeyPairSync } from 'node:crypto';
import { changed } from '#test/shared/signatures/faulty-bundles.ts';
import { newKey } from '#test/shared/signatures/own-root.ts';
import { other, own } from '#test/shared/signatures/own-trust.ts';
import { bundle, envelope, fileBundle } from '#test/shared/signatures/sample-bundles.ts';
import { about, keyFile, type OwnCase, partOf, refused, root } from './case.ts';

/** Faults of public keys, and texts that are no bundles. */

const { privateKey: key } = newKey();

const flip = (base64: string): string => {
  const bytes = Buffer.from(base64, 'base64');
  bytes[bytes.length - 1] = (bytes[bytes.length - 1] ?? 0) ^ 1;
  return bytes.toString('base64');
};

export const keyCases = (): OwnCase[] => [
  refused('key-of-somebody-else', bundle(own, { key }), 'signature verification failed', keyFile(newKey().privateKey)),
  refused('key-with-a-certificate', bundle(own), /^The bundle has a certificate/, keyFile(key)),
  refused('key-without-a-log-entry', envelope(key), /^expected 1 timestamps/, keyFile(key)),
  refused(
    'key-with-a-log-of-another-instance',
    bundle(other, { key }),
    'inclusion promise could not be verified',
    keyFile(key),
  ),
  refused(
    'key-of-512-bits',
    bundle(own, { key }),
    /^The key is of another kind/,
    keyFile(generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey),
  ),
  refused('key-that-is-private', bundle(own, { key }), /^This is a private key/, {
    'key.pub': key.export({ type: 'pkcs8', format: 'pem' }),
  }),
  refused('key-that-comes-with-the-bundle', bundle(own, { key }), /can be verified with that key only/),
  refused(
    'key-and-a-subject-of-another-artifact',
    bundle(own, { key, ...about({ subject: [{ digest: { sha256: '0'.repeat(64) } }] }) }),
    /^No subject/,
    keyFile(key),
  ),
];

export const textCases = (): OwnCase[] => [
  refused('empty', '', 'The bundle is not JSON'),
  refused('xml-with-entities', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', 'The bundle is not JSON'),
  refused('nested-json', '[{"a":'.repeat(20_000), /^The bundle is nested deeper than 250 levels/),
  refused('ten-megabytes-of-nested-json', '['.repeat(10_000_000), /^The bundle is nested deeper than 250 levels/),
  refused(
    'repeated-member',
    JSON.stringify(bundle(own)).replace('"payload":', '"payload":"","payload":'),
    /twice in one object$/,
  ),
  refused(
    'changed-signature',
    changed(({ dsseEnvelope: { signatures } }) =>
      signatures.splice(0, 1, { sig: flip(signatures[0]?.sig ?? ''), keyid: '' }),
    ),
    'tlog entry signature mismatch',
  ),
  refused(
    'no-signature',
    changed(({ dsseEnvelope }) => Object.assign(dsseEnvelope, { signatures: [] })),
    /^invalid bundle: /,
  ),
  refused('other-file', fileBundle(own), 'The digest in the bundle is not the digest of the file', {
    artifact: 'another',
  }),
  refused(
    'signature-of-another-file',
    Object.assign(fileBundle(own), {
      messageSignature: {
        ...fileBundle(own, Buffer.from('another')).messageSignature,
        messageDigest: fileBundle(own).messageSignature.messageDigest,
      },
    }),
    'signature mismatch',
  ),
  refused('root-that-is-none', bundle(own), /media type 'application\/json'/, root({ mediaType: 'application/json' })),
  refused(
    'root-with-a-log-without-a-start',
    bundle(own),
    /does not say since when it is valid/,
    root(
      own.json({
        tlogs: partOf(own, 'tlogs').map((one) => ({
          ...one,
          publicKey: { ...Object(one['publicKey']), validFor: {} },
        })),
      }),
    ),
  ),
];
