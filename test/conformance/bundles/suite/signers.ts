import { changed } from '#test/shared/signatures/faulty-bundles.ts';
import { SIGNED_AT } from '#test/shared/signatures/own-root.ts';
import { other, own } from '#test/shared/signatures/own-trust.ts';
import { bundle, SUBJECT } from '#test/shared/signatures/sample-bundles.ts';
import { BEFORE, LATER, type OwnCase, partOf, refused, root, validOnly } from './case.ts';

/** Faults of certificates and of times, and signers who are not asked for. */

const SECOND = 1;
const HOUR = 3600;

export const signerCases = (): OwnCase[] => [
  refused(
    'certificate-of-the-next-second',
    bundle(own, { identity: { from: SIGNED_AT + SECOND } }),
    /not valid or expired at the specified date/,
  ),
  refused(
    'certificate-of-the-last-second',
    bundle(own, { identity: { from: SIGNED_AT - 601 } }),
    /not valid or expired at the specified date/,
  ),
  refused(
    'one-of-two-times-outside-of-the-certificate',
    changed((json) => Object.assign(json.verificationMaterial, { timestampVerificationData: lateTimestamp(json) })),
    /not valid or expired at the specified date/,
  ),
  refused(
    'authority-that-ended-before',
    bundle(own),
    /^Failed to verify certificate chain$/,
    validOnly('certificateAuthorities', BEFORE),
  ),
  refused(
    'authority-that-began-later',
    bundle(own),
    /^Failed to verify certificate chain$/,
    validOnly('certificateAuthorities', LATER),
  ),
  refused('log-of-certificates-that-ended-before', bundle(own), 'SCT verification failed', validOnly('ctlogs', BEFORE)),
  refused(
    'log-of-certificates-of-another-instance',
    bundle(own),
    'SCT verification failed',
    root(own.json({ ctlogs: partOf(other, 'ctlogs') })),
  ),
  refused(
    'timestamp-authority-that-ended-before',
    bundle(own, { hasPromise: false, hasTimestamp: true }),
    'timestamp could not be verified',
    validOnly('timestampAuthorities', BEFORE),
  ),
  refused(
    'authority-of-one-instance-and-log-of-another',
    bundle(own),
    /^inclusion promise could not be verified; Failed to verify certificate chain/,
    {
      'trusted_root.json': [own.json({ tlogs: partOf(other, 'tlogs') }), other.json({ tlogs: partOf(own, 'tlogs') })]
        .map((one) => JSON.stringify(one))
        .join('\n'),
    },
  ),
  refused('same-timestamp-twice', twiceTimestamped(), 'duplicate timestamp'),
  refused(
    'timestamp-that-is-none',
    changed((json) =>
      Object.assign(json.verificationMaterial, {
        timestampVerificationData: { rfc3161Timestamps: [{ signedTimestamp: 'AAAA' }] },
      }),
    ),
    /^The bundle cannot be read: /,
  ),
  refused('other-identity', bundle(own), /It should name 'https:\/\/github\.com\/acme\/evil'/, {
    identity: 'https://github.com/acme/evil',
  }),
  refused('identity-that-begins-alike', bundle(own), /It should name/, { identity: SUBJECT.slice(0, -1) }),
  refused('other-issuer', bundle(own), /of 'https:\/\/gitlab\.com'$/, { issuer: 'https://gitlab.com' }),
  refused('public-root', bundle(own), /no valid certificate path found/, { 'trusted_root.json': undefined }),
];

function lateTimestamp({ dsseEnvelope: { signatures } }: ReturnType<typeof bundle>) {
  const [{ sig } = { sig: '' }] = signatures;
  const late = own.timestamp(Buffer.from(sig, 'base64'), SIGNED_AT + HOUR);
  return { rfc3161Timestamps: [{ signedTimestamp: late.toString('base64') }] };
}

function twiceTimestamped() {
  const made = bundle(own, { hasTimestamp: true });
  return changed((json) => {
    const { timestampVerificationData: data } = json.verificationMaterial;
    data?.rfc3161Timestamps.push(...data.rfc3161Timestamps);
  }, made);
}
