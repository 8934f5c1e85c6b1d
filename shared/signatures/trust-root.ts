import { hash } from 'node:crypto';
import { type TransparencyLogInstance, TrustedRoot } from '@sigstore/protobuf-specs';
import { type TrustMaterial, toTrustMaterial, type VerifierOptions } from '@sigstore/verify';
import { SignatureError, withLibrary } from './errors.ts';
import { jsonTexts } from './json-lines.ts';
import { parseObject } from './strict-json.ts';

/** The longest text of a trust root, in UTF-16 units. The public one has 7,000. */
export const LONGEST_ROOT = 256 * 1024;
const MEDIA_TYPE = /^application\/vnd\.dev\.sigstore\.trustedroot(?:\+json;version=0\.1|\.v0\.[12]\+json)$/;

/** Certificate authorities, logs and timestamp authorities of one instance of Sigstore. */
export interface RootPart {
  readonly material: TrustMaterial;
  /** What a bundle has to bring: of each kind of proof that the instance has, at least one, and always a trusted time. */
  readonly thresholds: Required<Pick<VerifierOptions, 'tlogThreshold' | 'ctlogThreshold' | 'timestampThreshold'>>;
}

/** Whom a signer's certificates, logs and times are trusted from. */
export interface TrustRoot {
  /** SHA-256 of the text, as hexadecimal digits. */
  readonly digest: string;
  /** One for each line. A bundle is verified with one of them as a whole. */
  readonly parts: readonly RootPart[];
}

/**
 * Reads a `trusted_root.json`, or several as JSON lines (rules/verified-evidence.md#trust-roots).
 * @throws SignatureError for a root that cannot be read, or with which signatures could be accepted that should not be
 */
export function readTrustRoot(text: string): TrustRoot {
  if (text.length > LONGEST_ROOT) {
    throw new SignatureError(`The trust root has ${text.length} characters. The most are ${LONGEST_ROOT}`);
  }
  return { digest: hash('sha256', text), parts: jsonTexts(text).map(readPart) };
}

function readPart(text: string): RootPart {
  const what = 'The trust root';
  const json = parseObject(what, text);
  const { mediaType } = json;
  if (typeof mediaType !== 'string' || !MEDIA_TYPE.test(mediaType)) {
    throw new SignatureError(`${what} has the media type '${String(mediaType)}', which is none of a trust root`);
  }
  const root = withLibrary(what, () => TrustedRoot.fromJSON(json));
  if (root.certificateAuthorities.length === 0) throw new SignatureError(`${what} has no certificate authority`);
  if (root.tlogs.length === 0 && root.timestampAuthorities.length === 0) {
    throw new SignatureError(
      `${what} has neither a transparency log nor a timestamp authority, so nothing would prove a time`,
    );
  }
  for (const log of [...root.tlogs, ...root.ctlogs]) requireStart(log);
  return {
    material: withLibrary(what, () => toTrustMaterial(root)),
    thresholds: {
      tlogThreshold: root.tlogs.length > 0 ? 1 : 0,
      ctlogThreshold: root.ctlogs.length > 0 ? 1 : 0,
      timestampThreshold: 1,
    },
  };
}

/** The library trusts a key without a start since the beginning of time. */
function requireStart({ baseUrl, publicKey }: TransparencyLogInstance): void {
  if (publicKey?.validFor?.start === undefined) {
    throw new SignatureError(`The key of the log '${baseUrl}' in the trust root does not say since when it is valid`);
  }
}
