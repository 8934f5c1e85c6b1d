import { invalidField } from '#shared/base/validation.ts';
import type { ReportedFiles } from './attachments.ts';
import type { SbomReport } from './rules/kinds/sbom.ts';

/**
 * Reads the attached SBOM (rules/attestations.md#what-is-read-of-an-sbom). Only the file that `original_fingerprint` names is read.
 *
 * @throws ServiceError `invalid` if no attached file has this SHA-256
 */
export async function readSbomFacts({ attestation_data: stated }: SbomReport, files: ReportedFiles) {
  const bytes = await files.read(stated.original_fingerprint);
  if (bytes === null) throw notAttached(stated.original_fingerprint, files);
  // Loaded at the first use: the reader contains a parser of XML, and few reports are SBOMs.
  const { inspectSbom } = await import('./rules/sbom/inspect-sbom.ts');
  return inspectSbom(bytes, stated);
}

function notAttached(fingerprint: string, { files }: ReportedFiles) {
  const attached = files.length === 0 ? 'none' : files.map(({ sha256 }) => sha256).join(', ');
  return invalidField(
    'attestation_data.original_fingerprint',
    `Input should be the SHA-256 of an attached file. Attach the SBOM as it was digested. SHA-256 of attached files: ${attached}`,
    fingerprint,
  );
}
