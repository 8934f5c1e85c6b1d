import * as z from 'zod';
import { Fingerprint } from '../shared-fields.ts';
import { attestationKind, namesNeedCommit, withAttachments } from './kind.ts';

/** The product that the reporter says the SBOM describes. */
const Subject = z.looseObject({
  name: z.string().meta({ description: 'Name of the product' }),
  version: z.string().nullish().describe('Version of the product'),
  purl: z.string().nullish().describe('Package address of the product'),
  sha256: z.string().nullish().describe('SHA-256 of the product'),
});

export const SbomReport = z
  .object({
    ...withAttachments,
    type_name: z.literal('sbom').describe('Name of the custom attestation type'),
    attestation_data: z
      .looseObject({
        original_fingerprint: Fingerprint.describe('SHA-256 of the attached SBOM as 64 hex digits'),
        format: z
          .string()
          .nullish()
          .describe('Format and version that the reporter found: `cyclonedx-1.6`, `spdx-2.3`'),
        document: z
          .looseObject({
            created_at: z.string().nullish().describe('When the SBOM was made, as it says'),
            tools: z.array(z.string()).nullish().describe('Names and versions of the tools that made the SBOM'),
            subject: Subject.nullish().describe('The product that the SBOM describes'),
            package_count: z.int().min(0).nullish().describe('Number of packages in the SBOM'),
          })
          .nullish()
          .describe('What the reporter found in the SBOM'),
      })
      .describe('The data of the attestation'),
  })
  .check(namesNeedCommit)
  .meta({
    id: 'SbomAttestation',
    description:
      'A software bill of materials, attached as a file. `original_fingerprint` is the SHA-256 of that file. Always compliant.',
  });
export type SbomReport = z.output<typeof SbomReport>;

/**
 * A software bill of materials (rules/attestations.md#sbom). Its presence is the evidence, so it is always compliant. The caller
 * adds `sbom`, what the service read in the file, and stores `attestation_data` as text.
 */
export const sbomKind = attestationKind({
  type: 'sbom',
  segments: ['system'],
  schema: SbomReport,
  verdict: () => true,
  evidence: () => ({}),
});
