import { expect } from 'vitest';
import { newKey, SIGNED_AT } from './own-root.ts';
import { other, own } from './own-trust.ts';
import { bundle, envelope, fileBundle, ISSUER, SHA256, SUBJECT, statement } from './sample-bundles.ts';

/** Bundles with one fault each, and the sentence with which they are refused. */

type Json = ReturnType<typeof bundle>;
export const changed = (change: (json: Json) => unknown, made = bundle(own)): Json => {
  const copy = structuredClone(made);
  change(copy);
  return copy;
};
export const entryOf = (json: Json) =>
  json.verificationMaterial.tlogEntries[0] ?? expect.fail('The bundle has no log entry');

const about = (payload: unknown) => bundle(own, { payload: JSON.stringify(payload) });
const DIGEST = /No subject of the statement has the SHA-256 [0-9a-f]{64}\. It names /;

/** A fault, the bundle that has it, and the sentence of the refusal. */
export const FAULTS: readonly (readonly [string, () => unknown, string | RegExp])[] = [
  [
    'the subject of another artifact',
    () => about(statement({ subject: [{ digest: { sha256: '0'.repeat(64) } }] })),
    DIGEST,
  ],
  ['a digest of another algorithm only', () => about(statement({ subject: [{ digest: { sha512: SHA256 } }] })), DIGEST],
  [
    'a digest in capital letters',
    () => about(statement({ subject: [{ digest: { sha256: SHA256.toUpperCase() } }] })),
    DIGEST,
  ],
  ['no subject', () => about(statement({ subject: [] })), 'The signed statement has no subject'],
  [
    'a subject without a digest',
    () => about(statement({ subject: [{ name: 'web.tar', digest: {} }] })),
    'Subject 1 of the signed statement has no digest, or no text as its name',
  ],
  [
    'too many subjects',
    () => about(statement({ subject: Array.from({ length: 1025 }, () => ({ digest: { sha1: '1' } })) })),
    'The signed statement has 1025 subjects. The most are 1024',
  ],
  ['no predicate type', () => about(statement({ predicateType: '' })), 'The signed statement has no predicate type'],
  [
    'a statement of another type',
    () => about(statement({ _type: 'https://in-toto.io/Link/v1' })),
    /^The signed statement has the type 'https:\/\/in-toto\.io\/Link\/v1'\. It should be one of: /,
  ],
  [
    'a repeated member in the statement',
    () => bundle(own, { payload: JSON.stringify(statement()).replace('{', '{"subj\\u0065ct":[],') }),
    "The signed statement has the member 'subject' twice in one object",
  ],
  ['a statement that is no JSON', () => bundle(own, { payload: '{' }), 'The signed statement is not JSON'],
  [
    'another payload type',
    () => bundle(own, { payloadType: 'text/plain' }),
    "The payload has the type 'text/plain'. It should be 'application/vnd.in-toto+json'",
  ],
  [
    'a payload that was not signed',
    () =>
      changed(({ dsseEnvelope }) =>
        Object.assign(dsseEnvelope, {
          payload: Buffer.from(JSON.stringify(statement({ predicate: {} }))).toString('base64'),
        }),
      ),
    'DSSE payload hash mismatch',
  ],
  [
    'two signatures',
    () => changed(({ dsseEnvelope: { signatures } }) => signatures.push(...signatures)),
    'invalid bundle: content.dsseEnvelope.signatures',
  ],
  [
    'the log entry of another bundle',
    () =>
      changed(({ verificationMaterial }) =>
        Object.assign(verificationMaterial, { tlogEntries: [entryOf(bundle(own))] }),
      ),
    'tlog entry signature mismatch',
  ],
  [
    'the same log entry twice',
    () => changed(({ verificationMaterial: { tlogEntries } }) => tlogEntries.push(...tlogEntries)),
    'duplicate timestamp',
  ],
  [
    'the same log entry twice without a promise',
    () =>
      changed(
        ({ verificationMaterial: { tlogEntries } }) => tlogEntries.push(...tlogEntries),
        bundle(own, { hasPromise: false, hasTimestamp: true }),
      ),
    'duplicate tlog entry',
  ],
  [
    'the checkpoint of another log',
    () => changed((json) => Object.assign(entryOf(json), { inclusionProof: entryOf(bundle(other)).inclusionProof })),
    'invalid checkpoint signature',
  ],
  [
    'the proof of another index',
    () => changed((json) => Object.assign(entryOf(json).inclusionProof ?? {}, { logIndex: '2' })),
    'invalid hash count',
  ],
  [
    'the entry of a log that the root does not have',
    () =>
      changed((json) =>
        Object.assign(json.verificationMaterial, { tlogEntries: bundle(other).verificationMaterial.tlogEntries }),
      ),
    'inclusion promise could not be verified',
  ],
  [
    'another time of the log',
    () => changed((json) => Object.assign(entryOf(json), { integratedTime: String(SIGNED_AT + 1) })),
    'inclusion promise could not be verified',
  ],
  [
    'no log entry',
    () => bundle(own, { hasPromise: false, hasProof: false, hasTimestamp: true }),
    'expected 1 tlog entries, got 0',
  ],
  ['no trusted time', () => bundle(own, { hasPromise: false }), 'expected 1 timestamps, got 0'],
  [
    'a certificate that was expired when the log saw it',
    () => bundle(own, { seconds: SIGNED_AT + 3600 }),
    'Failed to verify certificate chain: certificate is not valid or expired at the specified date',
  ],
  [
    'a certificate that was expired when the authority saw it',
    () => bundle(own, { seconds: SIGNED_AT + 3600, hasPromise: false, hasTimestamp: true }),
    'Failed to verify certificate chain: certificate is not valid or expired at the specified date',
  ],
  [
    'the certificate of another authority',
    () =>
      changed((json) =>
        Object.assign(json.verificationMaterial, {
          certificate: {
            rawBytes: other
              .certificate(newKey().privateKey, {
                issuer: ISSUER,
                san: { uri: SUBJECT },
                claims: {},
                from: SIGNED_AT,
                isLogged: true,
              })
              .toString('base64'),
          },
        }),
      ),
    'Failed to verify certificate chain: no valid certificate path found',
  ],
  [
    'a certificate that no log of certificates promised',
    () => bundle(own, { identity: { isLogged: false } }),
    'expected 1 SCTs, got 0',
  ],
  [
    'a certificate of another key',
    () =>
      changed((json) =>
        Object.assign(json.verificationMaterial, { certificate: bundle(own).verificationMaterial.certificate }),
      ),
    'signature verification failed',
  ],
  [
    'a certificate that is none',
    () => changed((json) => Object.assign(json.verificationMaterial, { certificate: { rawBytes: 'AAAA' } })),
    /^The bundle cannot be read: /,
  ],
  [
    'another kind of subject in its certificate',
    () => bundle(own, { identity: { san: { dns: 'github.com' } } }),
    'The certificate should name its subject by exactly one of URI and address of mail',
  ],
  [
    'the subject as an address of mail',
    () => bundle(own, { identity: { san: { email: 'web@acme.example' } } }),
    `The signer is web@acme.example of ${ISSUER}`,
  ],
  [
    'no issuer in its certificate',
    () => bundle(own, { identity: { issuer: '' } }),
    'The certificate does not name the issuer of the identity',
  ],
  [
    'another issuer',
    () => bundle(own, { identity: { issuer: 'https://accounts.example' } }),
    `The signer is ${SUBJECT} of https://accounts.example`,
  ],
  [
    'the timestamp of another authority',
    () =>
      changed((json) =>
        Object.assign(json.verificationMaterial, {
          timestampVerificationData: bundle(other, { hasTimestamp: true }).verificationMaterial
            .timestampVerificationData,
        }),
      ),
    'timestamp could not be verified',
  ],
  [
    'the timestamp of another signature',
    () =>
      changed((json) =>
        Object.assign(json.verificationMaterial, {
          timestampVerificationData: bundle(own, { hasTimestamp: true }).verificationMaterial.timestampVerificationData,
        }),
      ),
    'timestamp could not be verified',
  ],
  [
    'a key that comes with it, where a signer is asked for',
    () => bundle(own, { key: newKey().privateKey }),
    'The signature is by a public key and has no certificate. It can be verified with that key only',
  ],
  [
    'nothing but an envelope, where a signer is asked for',
    () => envelope(newKey().privateKey),
    'The signature is by a public key and has no certificate. It can be verified with that key only',
  ],
  [
    'the signature of a file that is not given',
    () => fileBundle(own),
    'The bundle signs a file itself, not a statement about its digest. It can be verified only with the file',
  ],
];
