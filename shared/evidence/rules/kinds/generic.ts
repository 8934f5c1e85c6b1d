import * as z from 'zod';
import { attestationKind, namesNeedCommit, withAttachments } from './kind.ts';

const GenericReport = z
  .object({
    ...withAttachments,
    is_compliant: z.boolean().optional().describe('The verdict of the check. Without it, the attestation is compliant'),
  })
  .check(namesNeedCommit)
  .meta({ id: 'GenericAttestation', description: 'The caller states the verdict; compliant when nothing is said.' });

/** The caller states the verdict (rules/attestations.md#generic). */
export const genericKind = attestationKind({
  type: 'generic',
  segments: ['generic'],
  schema: GenericReport,
  verdict: (report) => report.is_compliant ?? true,
  evidence: () => ({}),
});
