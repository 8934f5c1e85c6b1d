import * as z from 'zod';
import { Fingerprint } from '../shared-fields.ts';
import { attestationKind, namesNeedCommit, withAttachments } from './kind.ts';

/** The product that the reporter says the SBOM describes. */
const Subject = z.looseObject({
  name: z.string().meta({ description: 'Name of the product' }),
  version: z.string().nullish(),
  purl: z.string().nullish(),
  sha256: z.string().nullish(),
});

export const SbomReport = z
  .object({
    ...withAttachments,
    type_name: z.literal('sbom'),
    attestation_data: z.looseObject({
      original_fingerprint: Fingerprint,
      format: z.string().nullish(),
      document: z
        .looseObject({
          created_at: z.string().nullish(),
          tools: z.array(z.string()).nullish(),
          subject: Subject.nullish(),
          package_count: z.int().min(0).nullish(),
        })
        .nullish(),
    }),
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
