import seeds from '@sigstore/tuf/seeds.json' with { type: 'json' };
import { readTrustRoot, type TrustRoot } from './trust-root.ts';

/** The trust root of the public instance of Sigstore, as its package ships it. Nothing is fetched (rules/verified-evidence.md#public-root). */

/** Returns the text of the public trust root. */
export const publicRootText = (): string =>
  Buffer.from(seeds['https://tuf-repo-cdn.sigstore.dev'].targets['trusted_root.json'], 'base64').toString('utf8');

let read: TrustRoot | undefined;

/** Returns the public trust root. It is read once in the life of a process. */
export function publicRoot(): TrustRoot {
  read ??= readTrustRoot(publicRootText());
  return read;
}
