import { hash } from 'node:crypto';
import { type Fingerprint, isFingerprint } from '#shared/base/ids.ts';
import { wellFormed } from '#shared/base/well-formed.ts';
import { bundleTexts, readBundle, type Signed } from '#shared/signatures/bundles.ts';
import { readStatement } from '#shared/signatures/statement.ts';
import {
  type Artifact,
  LIBRARY,
  signedDigest,
  signedFile,
  type VerifiedBundle,
} from '#shared/signatures/verify-bundle.ts';
import { checked } from '#shared/signers/rules/trust.ts';
import { type TrustData, verifyAsSigner } from '#shared/signers/rules/verify-as-signer.ts';
import { kindOf, type StatementKind } from '../predicates/kind-of.ts';
import { readPredicate } from '../predicates/read-predicate.ts';
import { unsigned, type Verification } from '../verification.ts';
import { kept, shown, verificationFrom } from './signed-verification.ts';

/**
 * Reads bundles, and verifies them as signatures of an organization's signers (rules/verified-evidence.md#report-a-bundle). Functions
 * load this file at its first use, because it contains the libraries that verify. So it hands out plain data and throws no errors for
 * callers: classes of a bundle that is loaded later are not those of the function.
 */

/** A file as far as it was read: refused with a sentence, or its bundles. */
export type OpenedFile = { refused: string } | { bundles: OpenedBundle[] };

/** One bundle before it is verified. What it says is not proved yet. */
export interface OpenedBundle {
  /** As it was given. */
  readonly text: string;
  /** SHA-256 of the text. */
  readonly digest: string;
  readonly kind: StatementKind;
  /** SHA-256 of each subject that has one, without repetitions. */
  readonly artifacts: readonly Fingerprint[];
  /** The commits among the subjects. */
  readonly commits: readonly string[];
  /** What it is about, for sentences: `sha256:…`, and of the rest how many. Empty if that cannot be read. */
  readonly about: string;
  /** Whether it says that it signs the file that was reported with it. */
  readonly isOfFile: boolean;
  /** @returns what is known of its signature; with an `error` if nothing is */
  verify(trust: TrustData): Verification;
}

/** So many digests a sentence names. */
const MOST_SHOWN = 5;

const COMMIT = /^[a-f0-9]{40}$/;

/**
 * Reads a file with one bundle, or with several as JSON lines. The same bundle twice counts once.
 * @param bytes text in UTF-8
 * @param file the file that bundles without a statement have to sign
 */
export function openBundles(bytes: Uint8Array, file?: Buffer): OpenedFile {
  const text = textOf(bytes);
  if (text === undefined) return { refused: 'The file is not UTF-8' };
  if (text.trim() === '') return { refused: 'The file is empty' };
  const texts = checked(() => ({ texts: bundleTexts(text) }));
  if ('error' in texts) return { refused: texts.error };
  const artifact = file && { sha256: hash('sha256', file), bytes: file };
  const bundles = [...new Set(texts.texts)].map((one) => open(one, artifact));
  if (artifact && bundles.every(({ signsFile }) => !signsFile)) {
    return { refused: 'No bundle signs a file itself. Leave signed_file out' };
  }
  return { bundles: bundles.map(({ bundle }) => bundle) };
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return undefined;
  }
}

function open(text: string, file: Artifact | undefined): { bundle: OpenedBundle; signsFile: boolean } {
  const digest = hash('sha256', text);
  const signed = checked(() => readBundle(text));
  const subjects = 'error' in signed ? signed : checked(() => subjectsOf(signed));
  const { digests, predicateType } = 'error' in subjects ? { digests: [], predicateType: null } : subjects;
  const of = (algorithm: string) => [
    ...new Set(digests.flatMap(([name, value]) => (name === algorithm ? [value] : []))),
  ];
  const named = digests.map(([name, value]) => shown(`${name}:${value}`, 160));
  const signsFile = !('error' in signed) && signed.bundle.content.$case === 'messageSignature';
  const artifacts = of('sha256').filter(isFingerprint);
  const more = named.length > MOST_SHOWN ? ` and ${named.length - MOST_SHOWN} more` : '';
  const bundle: OpenedBundle = {
    text,
    digest,
    kind: predicateType === null ? 'statement' : kindOf(predicateType),
    artifacts,
    commits: of('gitCommit').filter((value) => COMMIT.test(value)),
    isOfFile: signsFile && artifacts.some((sha256) => sha256 === file?.sha256),
    about: `${named.slice(0, MOST_SHOWN).join(', ')}${more}`,
    verify: (trust) => {
      const found = 'error' in signed ? signed : checked(() => verifyAsSigner(signed, trust, signedFile(signed, file)));
      const known = { bundle_digest: digest, library: LIBRARY };
      return 'error' in found
        ? { ...unsigned('stated'), ...known, error: kept(found.error) }
        : { ...verificationFrom(found), ...summaryOf(found.verified), ...known };
    },
  };
  return { bundle, signsFile };
}

/** What a bundle says it is about. @throws SignatureError if its statement cannot be read */
function subjectsOf({ bundle: { content } }: Signed): { digests: [string, string][]; predicateType: string | null } {
  if (content.$case === 'messageSignature') {
    return { digests: [['sha256', signedDigest(content.messageSignature)]], predicateType: null };
  }
  const { predicateType, subjects } = readStatement(content.dsseEnvelope);
  return { digests: subjects.flatMap(({ digest }) => Object.entries(digest)), predicateType };
}

/** What a reader of its kind finds in the predicate. */
function summaryOf({ statement }: VerifiedBundle): Pick<Verification, 'statement'> {
  // Replacing characters leaves an object an object.
  return { statement: statement ? (wellFormed(readPredicate(statement).statement) as Record<string, unknown>) : null };
}
