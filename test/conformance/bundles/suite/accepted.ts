import { generateKeyPairSync } from 'node:crypto';
import { changed, entryOf } from '#test/shared/signatures/faulty-bundles.ts';
import { newKey, SIGNED_AT } from '#test/shared/signatures/own-root.ts';
import { other, own } from '#test/shared/signatures/own-trust.ts';
import { bundle, fileBundle, SHA256 } from '#test/shared/signatures/sample-bundles.ts';
import { about, accepted, keyFile, type OwnCase, partOf, root, validOnly } from './case.ts';

/** Bundles that have to be verified. */

/** A bundle whose signature is in the logs of two instances. */
function inTwoLogs() {
  const made = bundle(own);
  const body = JSON.parse(Buffer.from(entryOf(made).canonicalizedBody, 'base64').toString('utf8'));
  const second = other.logEntry('dsse', body, { hasPromise: true, hasProof: true, seconds: SIGNED_AT + 1 });
  return changed(({ verificationMaterial: { tlogEntries } }) => tlogEntries.push(second), made);
}

const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey;
const ed25519 = generateKeyPairSync('ed25519').privateKey;
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const { privateKey: key } = newKey();

export const acceptedCases = (): OwnCase[] => [
  accepted(
    'form-0.1',
    bundle(own, { mediaType: 'application/vnd.dev.sigstore.bundle+json;version=0.1', hasProof: false }),
  ),
  accepted('form-0.2', bundle(own, { mediaType: 'application/vnd.dev.sigstore.bundle+json;version=0.2' })),
  accepted('form-0.3', bundle(own)),
  accepted('form-0.3-printed-over-lines', JSON.stringify(bundle(own), undefined, 2)),
  accepted('file', fileBundle(own)),
  accepted('timestamp-authority', bundle(own, { hasPromise: false, hasTimestamp: true })),
  accepted('log-and-timestamp-authority', bundle(own, { hasTimestamp: true })),
  accepted('statement-0.1', bundle(own, about({ _type: 'https://in-toto.io/Statement/v0.1' }))),
  accepted('unknown-predicate', bundle(own, about({ predicateType: 'https://acme.example/review/v1', predicate: 1 }))),
  accepted(
    'several-subjects',
    bundle(own, about({ subject: [{ digest: { sha1: '1' } }, { digest: { sha256: SHA256 } }] })),
  ),
  accepted('several-digests', bundle(own, about({ subject: [{ digest: { sha512: '0', sha256: SHA256 } }] }))),
  accepted('first-second-of-the-certificate', bundle(own, { identity: { from: SIGNED_AT } })),
  accepted('last-second-of-the-certificate', bundle(own, { identity: { from: SIGNED_AT - 600 } })),
  accepted('address-of-mail', bundle(own, { identity: { san: { email: 'a@acme.example' } } }), {
    identity: 'a@acme.example',
  }),
  accepted('other-issuer', bundle(own, { identity: { issuer: 'https://gitlab.com' } }), {
    issuer: 'https://gitlab.com',
  }),
  accepted('two-logs', inTwoLogs(), root(own.json({ tlogs: [...partOf(own, 'tlogs'), ...partOf(other, 'tlogs')] }))),
  accepted(
    'second-authority-of-the-root',
    bundle(own),
    root(
      own.json({
        certificateAuthorities: [...partOf(other, 'certificateAuthorities'), ...partOf(own, 'certificateAuthorities')],
      }),
    ),
  ),
  accepted('second-instance-of-the-root', bundle(other), {
    'trusted_root.json': `${JSON.stringify(own.json())}\n${JSON.stringify(other.json())}\n`,
  }),
  accepted(
    'root-without-logs',
    bundle(own, { identity: { isLogged: false }, hasPromise: false, hasProof: false, hasTimestamp: true }),
    root(own.json({ tlogs: [], ctlogs: [] })),
  ),
  accepted(
    'log-that-ended-later',
    bundle(own),
    validOnly('tlogs', { start: '2020-01-01T00:00:00Z', end: '2026-01-01T00:00:00Z' }),
  ),
  ...Object.entries({ 'p-256': key, 'p-384': p384, ed25519, rsa }).map(([name, one]) =>
    accepted(`key-${name}`, bundle(own, { key: one }), keyFile(one)),
  ),
  accepted('key-and-timestamp-authority', bundle(own, { key, hasPromise: false, hasTimestamp: true }), keyFile(key)),
];
