import * as z from 'zod';
import { attestationKind, namesNeedCommit, reportShape } from './kind.ts';

const OverrideReport = z
  .object({
    ...reportShape,
    reason: z.string().min(1).describe('Why the attestation is overridden'),
    new_compliance_status: z.boolean().describe('The verdict that counts from now on'),
    original_attestation_type: z
      .string()
      .regex(
        /^(generic|junit|snyk|sonar|jira|issue_tracker|pull_request|decision|sbom|provenance|vsa|vulns|test-result|vex|sarif|release|statement|custom(:[a-zA-Z0-9][a-zA-Z0-9.\-_~]*)?)$/,
      )
      .describe('Type of the attestation to override'),
  })
  .check(namesNeedCommit)
  .meta({ id: 'OverrideAttestation', description: 'Replaces the verdict of an attestation, with a reason.' });

const originalType = ({ original_attestation_type: type }: { original_attestation_type: string }) =>
  type === 'issue_tracker' ? 'jira' : type;

/**
 * Replaces the verdict of an earlier attestation (rules/attestations.md#override-report). `findOverridden` finds the
 * original and the full type for plain `custom`. The caller adds the original's id, type and verdict to the record.
 */
export const overrideKind = attestationKind({
  type: 'override',
  segments: ['override'],
  schema: OverrideReport,
  takesFiles: false,
  slotType: originalType,
  verdict: ({ new_compliance_status }) => new_compliance_status,
  // A decision may be about an artifact that this trail never had, and an override must be able to correct it.
  takesAnyFingerprint: (report) => originalType(report) === 'decision',
  evidence: (report) => ({
    reason: report.reason,
    new_compliance_status: report.new_compliance_status,
    original_attestation_type: originalType(report),
  }),
});
