import * as z from 'zod';
import { commitment } from '#shared/base/digests.ts';
import { isSameDigest, RecordDiffers } from '#shared/base/proofs/record-differs.ts';
import { randomBytes } from '#shared/base/random.ts';
import type { StoredBody } from '#shared/bodies/bodies.ts';
import { findingsText, recordText } from '../rules/record-text.ts';

/** The commitments to records of attestations and of artifact reports (rules/attestations.md#what-the-log-proves). */

const Bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

/** What a record stores to be compared with what was accepted. */
export const Seals = z.object({
  /** Salt of the text that the log proves of the record for good. */
  salt: Bytes,
  /** Salt of what rules found; absent if they found nothing, and once the record was erased. */
  findingsSalt: Bytes.optional(),
  pledges: z.object({ record: Bytes, facts: Bytes, findings: Bytes.optional() }),
});
export type Seals = z.infer<typeof Seals>;

/** Commitment and salt of a file. The commitment is one to the SHA-256 of the file in hex. */
export const FileSeal = z.object({
  commitment: Bytes,
  /** Absent once the file was erased. */
  salt: Bytes.optional(),
});

/** What both kinds of records have. */
interface Sealable {
  facts: StoredBody;
  files?: readonly SealedFile[] | undefined;
  derived?: Readonly<Record<string, unknown>> | undefined;
}

interface SealedFile extends z.infer<typeof FileSeal> {
  filename: string;
  size: number;
  type: string;
  sha256: string;
  erased?: unknown;
}

/** Makes the commitment to a file. @param sha256 of the file, in hex */
export const sealFile = (sha256: string) => seal(sha256);

function seal(text: string): { salt: Uint8Array; commitment: Uint8Array } {
  const salt = randomBytes(32);
  return { salt, commitment: commitment(salt, text) };
}

/** Makes the commitments to a record. @param facts the commitment to its facts */
export function sealRecord(record: Sealable, facts: Uint8Array): Seals {
  const found = findingsText(record.derived ?? {});
  const findings = found === undefined ? undefined : seal(found);
  const { salt, commitment: proved } = seal(textOf(record, { facts, findings: findings?.commitment }));
  return {
    salt,
    pledges: { record: proved, facts, ...(findings && { findings: findings.commitment }) },
    ...(findings && { findingsSalt: findings.salt }),
  };
}

function textOf(
  { facts: _, ...shown }: Sealable,
  commitments: { facts: Uint8Array; findings?: Uint8Array | undefined },
): string {
  const { files, derived, ...rest } = shown;
  return recordText({ ...rest, ...(files && { files }), ...(derived && { derived }) }, commitments);
}

/** Returns the text under the commitment `record` of a stored record. */
export function provedText({ salt: _, findingsSalt: __, pledges, ...record }: Sealable & Seals): string {
  return textOf(record, pledges);
}

/**
 * Compares a stored record with what was accepted (rules/trails.md#reading-what-was-accepted).
 *
 * @param name what the record is, for the error: `attestation 0192…`
 * @returns the record. Its facts are compared where their text is read
 * @throws RecordDiffers if the record is not the one that its commitments stand for
 */
export function acceptedRecord<R extends Sealable & Seals>(name: string, record: R): R {
  const { salt, findingsSalt, pledges, files = [], derived = {}, facts } = record;
  const differs = (difference: string) => {
    throw new RecordDiffers(name, difference);
  };
  if (!isSameDigest(commitment(salt, provedText(record)), pledges.record)) differs('it does not fit its commitment');
  for (const [place, file] of files.entries()) {
    const isErased = file.salt === undefined && file.erased !== undefined && file.sha256 === '';
    if (!isErased && !isSameDigest(file.salt && commitment(file.salt, file.sha256), file.commitment))
      differs(`file ${place} is not the one that was attached`);
  }
  const found = findingsText(derived);
  const isErased = found === undefined && (pledges.findings === undefined || facts.store === 'erased');
  if (!isErased && !isSameDigest(findingsSalt && commitment(findingsSalt, found ?? ''), pledges.findings))
    differs('what rules found does not fit its commitment');
  return { ...record, facts: { ...facts, pledge: pledges.facts } };
}
