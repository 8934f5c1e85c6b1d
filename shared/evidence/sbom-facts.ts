import { invalidField } from '#shared/base/validation.ts';
import type { ReportedFiles } from './attachments.ts';
import type { SbomReport } from './rules/kinds/sbom.ts';
import { type SbomDifference, sbomDifferences } from './rules/sbom/differences.ts';
import { readSbom, type SbomReading } from './rules/sbom/read-sbom.ts';

/** What the service found in the file of an SBOM, beside what the reporter stated. */
export type SbomFacts = SbomReading & { differences: SbomDifference[] };

/**
 * Reads the attached SBOM (rules/attestations.md#what-is-read-of-an-sbom). Only the file that `original_fingerprint` names is read.
 *
 * @throws ApiError 400 if no attached file has this SHA-256
 */
export async function readSbomFacts(
  { attestation_data: stated }: SbomReport,
  files: ReportedFiles,
): Promise<SbomFacts> {
  const bytes = await files.read(stated.original_fingerprint);
  if (bytes === null) throw notAttached(stated.original_fingerprint, files);
  const reading = await readSbom(bytes);
  return { ...reading, differences: reading.read === null ? [] : sbomDifferences(stated, reading.read) };
}

function notAttached(fingerprint: string, { files }: ReportedFiles) {
  const attached = files.length === 0 ? 'none' : files.map(({ sha256 }) => sha256).join(', ');
  return invalidField(
    'attestation_data.original_fingerprint',
    `Input should be the SHA-256 of an attached file. Attach the SBOM as it was digested. SHA-256 of attached files: ${attached}`,
    fingerprint,
  );
}
