import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readBundle } from '#shared/signatures/bundles.ts';
import { SignatureError } from '#shared/signatures/errors.ts';
import { readPublicKey } from '#shared/signatures/public-key.ts';
import { publicRoot } from '#shared/signatures/public-root.ts';
import { otherIdentity } from '#shared/signatures/signer.ts';
import { readTrustRoot } from '#shared/signatures/trust-root.ts';
import { type Artifact, type Trust, verifyBundle } from '#shared/signatures/verify-bundle.ts';
import { type Decided, filesOf, UsageError } from '../folder-command.ts';

/** Who should have signed a case that does not say it. */
export interface Defaults {
  readonly identity: string | undefined;
  readonly issuer: string | undefined;
}

interface Result extends Decided {
  /** Then `got` is the sentence of the refusal. */
  readonly isRefused: boolean;
}

const VERIFIED = 'a verified bundle';

const BUNDLE = 'bundle.sigstore.json';

/**
 * Verifies the bundle of each case: of each folder with a file `bundle.sigstore.json`, in the order of the paths.
 * @throws UsageError if the folder has no case, or a case does not say who should have signed
 */
export function runCases(folder: string, defaults: Defaults): Result[] {
  const files = filesOf(folder, `**/${BUNDLE}`);
  if (files.length === 0) throw new UsageError(`The folder ${folder} holds no ${BUNDLE}.`);
  return files.map((file) => {
    const place = join(folder, dirname(file));
    const mustFail = basename(place).endsWith('_fail');
    const refusal = refusalOf(place, defaults);
    const isRefused = refusal !== undefined;
    return {
      name: dirname(file),
      mustFail,
      wanted: mustFail ? 'a refusal' : VERIFIED,
      got: refusal ?? VERIFIED,
      isRight: mustFail === isRefused,
      isRefused,
    };
  });
}

/** @returns the sentence of the refusal; undefined if the bundle was verified */
function refusalOf(place: string, defaults: Defaults): string | undefined {
  const who = identityOf(place, defaults);
  try {
    verifyBundle(readBundle(textIn(place, BUNDLE) ?? ''), trustOf(place, who), artifactOf(place));
    return undefined;
  } catch (error) {
    if (error instanceof SignatureError) return error.message;
    throw error;
  }
}

function identityOf(place: string, { identity, issuer }: Defaults) {
  const subject = textIn(place, 'identity')?.trim() ?? identity;
  const by = textIn(place, 'issuer')?.trim() ?? issuer;
  if (subject !== undefined && by !== undefined) return { subject, issuer: by };
  if (existsSync(join(place, 'key.pub'))) return undefined;
  throw new UsageError(`${place} does not say who should have signed. Give --identity and --issuer.`);
}

function trustOf(place: string, who: { subject: string; issuer: string } | undefined): Trust {
  const ownRoot = textIn(place, 'trusted_root.json');
  const root = ownRoot === undefined ? publicRoot() : readTrustRoot(ownRoot);
  const key = textIn(place, 'key.pub');
  if (key !== undefined) return { key: readPublicKey(key), root };
  return { root, refusal: (signer) => (who ? otherIdentity(signer, who) : `Nobody may sign for ${place}`) };
}

/** The file that the bundle is about: that of the case, else the one beside all cases. */
function artifactOf(place: string): Artifact | undefined {
  const file = [join(place, 'artifact'), join(dirname(place), 'a.txt')].find((one) => existsSync(one));
  if (file === undefined) return undefined;
  const bytes = readFileSync(file);
  return { sha256: hash('sha256', bytes), bytes };
}

function textIn(place: string, name: string): string | undefined {
  const path = join(place, name);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
