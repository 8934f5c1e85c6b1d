import { isFingerprint } from '#shared/base/ids.ts';
import { cutText } from '#shared/base/well-formed.ts';
import type { Statement } from '#shared/signatures/statement.ts';
import type { SignedBySigner } from '#shared/signers/rules/verify-as-signer.ts';
import { kindOf } from '../predicates/kind-of.ts';
import { MOST_KEPT_SUBJECTS, unsigned, type Verification } from '../verification.ts';

/** Longest kept texts, in UTF-16 units. Signers decide what stands in them, and a record has to stay small. */
const LONGEST_KEPT = 2048;
const LONGEST_NAME = 255;

/** Returns what a record keeps of a verified signature, except for the summary of its predicate (rules/verified-evidence.md#grades). */
export function verificationFrom({ verified, signer, root }: SignedBySigner): Verification {
  const { grade, logs, times, statement, file } = verified;
  const by = verified.signer;
  const claims = by.kind === 'key' ? {} : by.claims;
  return {
    ...unsigned(grade),
    signer,
    root,
    ...(by.kind === 'certificate' && { issuer: kept(by.issuer), subject: kept(by.subject) }),
    claims: Object.fromEntries(Object.entries(claims).map(([name, value]) => [name, kept(value)])),
    logs: logs.map(({ id, index }) => ({ id, index })),
    times: times.map(({ seconds, from }) => ({ at: seconds, from })),
    ...(statement && said(statement)),
    ...(file !== undefined && ofFile(file)),
    key_digest: by.kind === 'key' ? by.digest : null,
    run: runOf(claims),
  };
}

/** Who signs a file itself says nothing of it but that it is this one. */
const ofFile = (sha256: string): Partial<Verification> => ({
  kind: 'statement',
  ...(isFingerprint(sha256) && { subjects: [{ name: '', sha256 }], subject_count: 1 }),
});

function runOf(claims: Readonly<Record<string, string>>): string | null {
  const run = claims['run_invocation_uri'];
  return run === undefined ? null : kept(run);
}

function said({ predicateType, subjects }: Statement): Partial<Verification> {
  return {
    predicate_type: kept(predicateType),
    kind: kindOf(predicateType),
    subjects: subjects.slice(0, MOST_KEPT_SUBJECTS).map(({ name, digest }) => {
      const sha256 = Object.hasOwn(digest, 'sha256') ? digest['sha256'] : undefined;
      return { name: shown(name, LONGEST_NAME), sha256: sha256 !== undefined && isFingerprint(sha256) ? sha256 : null };
    }),
    subject_count: subjects.length,
  };
}

/** Half a character in an escape of JSON has no UTF-8 form, so no record can hold it. */
export const shown = (text: string, length: number): string => cutText(text.toWellFormed(), length);

export const kept = (text: string): string => shown(text, LONGEST_KEPT);
