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

/**
 * Compares a trust root with a later one (rules/verified-evidence.md#refresh). A later root may have more, and may say that something ends.
 * It lacks what it does not have, what it trusts only from a later time on, and what it trusts for longer.
 *
 * @returns what the later root lacks, as words for a sentence
 */
export function lackedBy(later: TrustRoot, before: TrustRoot): string[] {
  const found = new Map(later.parts.flatMap(trustedIn).map((one) => [one.id, one]));
  return before.parts.flatMap(trustedIn).flatMap(({ id, what, start, end }) => {
    const same = found.get(id);
    return same && same.start <= start && same.end <= end ? [] : [what];
  });
}

/** Something that an instance trusts for a time. */
interface Trusted {
  /** Digests of its key or certificates. */
  id: string;
  what: string;
  /** Milliseconds since the epoch. */
  start: number;
  end: number;
}

function trustedIn({ material }: RootPart): Trusted[] {
  const { tlogs, ctlogs, certificateAuthorities, timestampAuthorities } = material;
  const log = (kind: string, { logID, baseURL, publicKey, validFor }: TrustMaterial['tlogs'][number]): Trusted => {
    const key = hash('sha256', publicKey.export({ type: 'spki', format: 'der' }));
    return { id: `${kind} ${logID.toString('hex')} ${key}`, what: `the ${kind} '${baseURL}'`, ...timesOf(validFor) };
  };
  const authority = (
    kind: string,
    { certChain, validFor }: TrustMaterial['certificateAuthorities'][number],
  ): Trusted => {
    const id = certChain.map(({ root }) => hash('sha256', root.toDER())).join(' ');
    return { id: `${kind} ${id}`, what: `the ${kind} ${id.slice(0, 16)}`, ...timesOf(validFor) };
  };
  return [
    ...tlogs.map((one) => log('log', one)),
    ...ctlogs.map((one) => log('log of certificates', one)),
    ...certificateAuthorities.map((one) => authority('certificate authority', one)),
    ...timestampAuthorities.map((one) => authority('timestamp authority', one)),
  ];
}

const timesOf = ({ start, end }: { start: Date; end: Date }) => ({ start: start.getTime(), end: end.getTime() });

/** The library trusts a key without a start since the beginning of time. */
function requireStart({ baseUrl, publicKey }: TransparencyLogInstance): void {
  if (publicKey?.validFor?.start === undefined) {
    throw new SignatureError(`The key of the log '${baseUrl}' in the trust root does not say since when it is valid`);
  }
}
