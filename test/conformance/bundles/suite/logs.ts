import { changed, entryOf } from '#test/shared/signatures/faulty-bundles.ts';
import { own } from '#test/shared/signatures/own-trust.ts';
import { type BundleOptions, bundle } from '#test/shared/signatures/sample-bundles.ts';
import { BEFORE, LATER, type OwnCase, refused, validOnly } from './case.ts';

/** Faults of log entries, and of logs in a trust root. */

/** A copy of a bundle with other fields of its log entry, or of the proof in the entry. */
const withEntry = (fields: object, made?: BundleOptions) =>
  changed((json) => Object.assign(entryOf(json), fields), bundle(own, made));
const withProof = (fields: object) => changed((json) => Object.assign(entryOf(json).inclusionProof ?? {}, fields));
const proof = () => entryOf(bundle(own)).inclusionProof ?? { checkpoint: { envelope: '' }, hashes: [] };

export const logCases = (): OwnCase[] => [
  refused(
    'checkpoint-without-signature',
    withProof({ checkpoint: { envelope: 'log.example\n3\nAAAA\n\n' } }),
    'no signatures found in checkpoint',
  ),
  refused(
    'checkpoint-without-separator',
    withProof({ checkpoint: { envelope: 'log.example\n3\nAAAA\n' } }),
    'missing checkpoint separator',
  ),
  refused(
    'checkpoint-of-another-tree',
    withProof({ checkpoint: proof().checkpoint }),
    'calculated root hash does not match inclusion proof',
  ),
  refused(
    'checkpoint-of-another-size',
    withProof({ checkpoint: { envelope: proof().checkpoint.envelope.replace('\n3\n', '\n4\n') } }),
    'invalid checkpoint signature',
  ),
  refused(
    'checkpoint-with-a-size-in-words',
    withProof({ checkpoint: { envelope: proof().checkpoint.envelope.replace('\n3\n', '\nthree\n') } }),
    'invalid checkpoint log size',
  ),
  refused(
    'checkpoint-signed-under-another-name',
    withProof({ checkpoint: { envelope: proof().checkpoint.envelope.replace('— log.example', '— .*') } }),
    'invalid checkpoint signature',
  ),
  refused('proof-without-hashes', withProof({ hashes: [] }), 'invalid hash count'),
  refused(
    'proof-with-a-hash-too-many',
    withProof({ hashes: [...proof().hashes, ...proof().hashes] }),
    'invalid hash count',
  ),
  refused(
    'proof-with-other-hashes',
    withProof({ hashes: proof().hashes.toReversed() }),
    'calculated root hash does not match inclusion proof',
  ),
  refused('proof-of-an-index-outside-of-the-tree', withProof({ logIndex: '3' }), 'invalid index: 3'),
  refused('proof-of-a-negative-index', withProof({ logIndex: '-1' }), 'invalid index: -1'),
  refused('proof-of-an-index-in-words', withProof({ logIndex: 'one' }), 'invalid inclusion proof log index'),
  refused(
    'entry-of-another-kind',
    withEntry({ kindVersion: { kind: 'hashedrekord', version: '0.0.1' } }),
    /^kind\/version mismatch/,
  ),
  refused(
    'entry-that-is-no-json',
    withEntry({ canonicalizedBody: 'AAAA' }, { hasPromise: false, hasTimestamp: true }),
    'calculated root hash does not match inclusion proof',
  ),
  refused(
    'entry-without-a-proof-in-form-0.2',
    bundle(own, { mediaType: 'application/vnd.dev.sigstore.bundle+json;version=0.2', hasProof: false }),
    /^invalid (?:v0\.[12] )?bundle: /,
  ),
  refused('entry-without-a-proof-in-form-0.3', bundle(own, { hasProof: false }), /^invalid (?:v0\.[12] )?bundle: /),
  refused(
    'entry-without-a-promise-in-form-0.1',
    bundle(own, { mediaType: 'application/vnd.dev.sigstore.bundle+json;version=0.1', hasPromise: false }),
    /^invalid (?:v0\.[12] )?bundle: /,
  ),
  refused('log-that-ended-before', bundle(own), 'inclusion promise could not be verified', validOnly('tlogs', BEFORE)),
  refused('log-that-began-later', bundle(own), 'inclusion promise could not be verified', validOnly('tlogs', LATER)),
  refused(
    'log-that-ended-before-a-proof',
    bundle(own, { hasPromise: false, hasTimestamp: true }),
    /^The key of the log [0-9a-f]{16} was not valid when the signature was made$/,
    validOnly('tlogs', BEFORE),
  ),
];
