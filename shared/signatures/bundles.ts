import {
  BUNDLE_V01_MEDIA_TYPE,
  BUNDLE_V02_MEDIA_TYPE,
  BUNDLE_V03_LEGACY_MEDIA_TYPE,
  BUNDLE_V03_MEDIA_TYPE,
  type Bundle,
  bundleFromJSON,
  envelopeFromJSON,
} from '@sigstore/bundle';
import { SignatureError, withLibrary } from './errors.ts';
import { jsonTexts } from './json-lines.ts';
import { parseObject } from './strict-json.ts';

/** The most bundles of one file. */
const MOST_BUNDLES = 20;
/** The most log entries, and the most timestamps, of one bundle. Real ones have one or two. */
const MOST_PROOFS = 16;

const MEDIA_TYPES: readonly unknown[] = [
  BUNDLE_V01_MEDIA_TYPE,
  BUNDLE_V02_MEDIA_TYPE,
  BUNDLE_V03_LEGACY_MEDIA_TYPE,
  BUNDLE_V03_MEDIA_TYPE,
];

/** A signature with what it signs, and for a bundle with what proves it. */
export interface Signed {
  /** As it was given. */
  readonly text: string;
  readonly form: 'bundle' | 'envelope';
  /** An envelope is the content of a bundle that brings nothing else. */
  readonly bundle: Bundle;
}

/**
 * Cuts a file into the texts of bundles: one, or several as JSON lines (rules/verified-evidence.md#bundles).
 * @throws SignatureError for more than {@link MOST_BUNDLES}
 */
export function bundleTexts(text: string): string[] {
  const texts = jsonTexts(text);
  if (texts.length > MOST_BUNDLES) {
    throw new SignatureError(`The file has ${texts.length} bundles. The most are ${MOST_BUNDLES}`);
  }
  return texts;
}

/**
 * Reads a Sigstore bundle or a bare DSSE envelope. Nothing is verified yet.
 * @throws SignatureError if it is neither, or has not exactly one signature
 */
export function readBundle(text: string): Signed {
  const what = 'The bundle';
  const json = parseObject(what, text);
  if (!('mediaType' in json) && 'payload' in json) return { text, form: 'envelope', bundle: bundleOfEnvelope(json) };
  if (!MEDIA_TYPES.includes(json['mediaType'])) {
    throw new SignatureError(
      `${what} has the media type '${String(json['mediaType'])}'. It should be one of: ${MEDIA_TYPES.join(', ')}`,
    );
  }
  const bundle = withLibrary(what, () => bundleFromJSON(json));
  const { tlogEntries, timestampVerificationData } = bundle.verificationMaterial;
  for (const [name, { length }] of [
    ['log entries', tlogEntries],
    ['timestamps', timestampVerificationData?.rfc3161Timestamps ?? []],
  ] as const) {
    if (length > MOST_PROOFS) throw new SignatureError(`${what} has ${length} ${name}. The most are ${MOST_PROOFS}`);
  }
  return { text, form: 'bundle', bundle };
}

function bundleOfEnvelope(json: object): Bundle {
  const envelope = withLibrary('The envelope', () => envelopeFromJSON(json));
  const { length } = envelope.signatures;
  if (length !== 1) throw new SignatureError(`The envelope has ${length} signatures. It should have exactly one`);
  if (envelope.payload.length === 0) throw new SignatureError('The envelope has no payload');
  return {
    mediaType: BUNDLE_V03_MEDIA_TYPE,
    content: { $case: 'dsseEnvelope', dsseEnvelope: envelope },
    verificationMaterial: {
      content: { $case: 'publicKey', publicKey: { hint: '' } },
      tlogEntries: [],
      timestampVerificationData: undefined,
    },
  };
}
