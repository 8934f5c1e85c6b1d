import seeds from '@sigstore/tuf/seeds.json' with { type: 'json' };
import { lackedBy, readTrustRoot, type TrustRoot } from './trust-root.ts';

/** The trust root of the public instance of Sigstore. Nothing is fetched here (rules/verified-evidence.md#public-root). */

/** Returns the text of the public trust root, as its package ships it. */
export const publicRootText = (): string =>
  Buffer.from(seeds['https://tuf-repo-cdn.sigstore.dev'].targets['trusted_root.json'], 'base64').toString('utf8');

let read: TrustRoot | undefined;

/** Returns the public trust root of the package. It is read once in the life of a process. */
export function publicRoot(): TrustRoot {
  read ??= readTrustRoot(publicRootText());
  return read;
}

/** A public root as a refresh stored it. */
export interface RefreshedRoot {
  /** SHA-256 of the text, as hexadecimal digits. */
  digest: string;
  text: string;
}

/** The root that the last refreshed text gave. */
let last: { digest: string; root: TrustRoot } | undefined;

/**
 * Returns the public root that verifies now: the refreshed one, unless it lacks something of the one in the package. Then the package is
 * newer, or the two contradict each other.
 *
 * @param refreshed undefined if there is none
 * @throws SignatureError if the refreshed root cannot be read
 */
export function presentPublicRoot(refreshed: RefreshedRoot | undefined): TrustRoot {
  const own = publicRoot();
  if (refreshed === undefined || refreshed.digest === own.digest) return own;
  if (last?.digest !== refreshed.digest) {
    const root = readTrustRoot(refreshed.text);
    last = { digest: refreshed.digest, root: lackedBy(root, own).length === 0 ? root : own };
  }
  return last.root;
}
