import { hash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { bundleTexts, readBundle } from '#shared/signatures/bundles.ts';
import { SignatureError } from '#shared/signatures/errors.ts';
import { readPublicKey } from '#shared/signatures/public-key.ts';
import { publicRoot } from '#shared/signatures/public-root.ts';
import { otherIdentity } from '#shared/signatures/signer.ts';
import { readTrustRoot, type TrustRoot } from '#shared/signatures/trust-root.ts';
import {
  type Artifact,
  LIBRARY,
  type Trust,
  type VerifiedBundle,
  verifyBundle,
} from '#shared/signatures/verify-bundle.ts';
import { Fault, UsageError } from './fault.ts';
import type { Counts, Verified } from './scope.ts';
import { readGiven } from './trust.ts';

/** Verifies the bundles of a file, without the service and without the network (rules/verification.md#bundles). */

const OPTIONS = {
  bundle: { type: 'string' },
  key: { type: 'string' },
  'trusted-root': { type: 'string' },
  'certificate-identity': { type: 'string' },
  'certificate-oidc-issuer': { type: 'string' },
} as const;

type Values = { [name in keyof typeof OPTIONS]?: string };

/**
 * Verifies every bundle of a file.
 *
 * @param args what follows the word `bundle`
 * @throws UsageError if the arguments are wrong, or a key or a root cannot be used
 * @throws Fault with the sentence of the first bundle that is refused
 */
export async function verifyBundles(args: readonly string[]): Promise<Verified> {
  const { values, positionals } = readBundleArguments(args);
  const [about, ...more] = positionals;
  const { bundle: file } = values;
  if (file === undefined) throw new UsageError('--bundle is missing: the file with the bundle');
  if (about === undefined || more.length > 0) {
    throw new UsageError('Name one thing that the bundle is about: a file, or the SHA-256 of a file');
  }
  const [trust, artifact, bytes] = await Promise.all([readBundleTrust(values), readArtifact(about), readGiven(file)]);
  const texts = refused(file, () => bundleTexts(bytes.toString('utf8')));
  const verified = texts.map((text, index) => {
    const place = texts.length === 1 ? file : `${file}: bundle ${index + 1}`;
    return refused(place, () => verifyBundle(readBundle(text), trust, artifact));
  });
  const counts = verified.length === 1 ? verified.map(countsOf) : verified.map((one, i) => numbered(countsOf(one), i));
  return { counts: Object.assign({}, ...counts, { library: LIBRARY }), scope: [], exceptions: [] };
}

function readBundleArguments(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** Whom the caller trusts. Nothing here comes from the bundle. */
async function readBundleTrust(values: Values): Promise<Trust> {
  const { key, 'trusted-root': root, 'certificate-identity': subject, 'certificate-oidc-issuer': issuer } = values;
  const given = root === undefined ? undefined : await usable(root, readTrustRoot);
  if (key !== undefined) {
    if (subject !== undefined || issuer !== undefined) {
      throw new UsageError('--key cannot be used with --certificate-identity and --certificate-oidc-issuer');
    }
    const trusted = await usable(key, readPublicKey);
    return given === undefined ? { key: trusted } : { key: trusted, root: given };
  }
  if (subject === undefined || issuer === undefined) {
    throw new UsageError(
      'Say who should have signed: --key, or --certificate-identity and --certificate-oidc-issuer. A signer from the bundle itself proves nothing',
    );
  }
  return { root: given ?? publicRoot(), refusal: (signer) => otherIdentity(signer, { subject, issuer }) };
}

/** Reads public roots that the caller trusts. @throws UsageError if one of the files cannot be used */
export const readPublicRoots = (files: readonly string[]): Promise<TrustRoot[]> =>
  Promise.all(files.map((file) => usable(file, readTrustRoot)));

async function usable<T>(file: string, read: (text: string) => T): Promise<T> {
  const bytes = await readGiven(file);
  try {
    return read(bytes.toString('utf8'));
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    throw new UsageError(`${file}: ${error.message}`, { cause: error });
  }
}

async function readArtifact(about: string): Promise<Artifact> {
  const [, sha256] = /^(?:sha256:)?([0-9a-f]{64})$/.exec(about) ?? [];
  if (sha256 !== undefined) return { sha256 };
  const bytes = await readGiven(about);
  return { sha256: hash('sha256', bytes), bytes };
}

function refused<T>(place: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    throw new Fault(place, error.message, error);
  }
}

function countsOf({ grade, signer, logs, times, statement }: VerifiedBundle): Counts {
  return {
    grade,
    ...(signer.kind === 'key'
      ? { 'public key': signer.digest }
      : { subject: signer.subject, issuer: signer.issuer, ...signer.claims }),
    ...(statement && { predicate: statement.predicateType, subjects: statement.subjects.length }),
    ...Object.fromEntries(logs.map(({ id, index }, i) => [`log entry ${i + 1}`, `${index} of ${id.slice(0, 16)}`])),
    ...Object.fromEntries(
      times.map(({ seconds, from }, i) => [`time ${i + 1}`, `${new Date(seconds * 1000).toISOString()} by a ${from}`]),
    ),
  };
}

const numbered = (counts: Counts, index: number): Counts =>
  Object.fromEntries(Object.entries(counts).map(([label, value]) => [`${index + 1}: ${label}`, value]));
