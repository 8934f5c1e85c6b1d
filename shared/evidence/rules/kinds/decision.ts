import * as z from 'zod';
import { ControlIdentifier } from '../shared-fields.ts';
import { attestationKind, namesNeedCommit, withAttachments } from './kind.ts';

const DecisionReport = z
  .object({
    ...withAttachments,
    type_name: z.literal('decision').describe('Type of the system attestation'),
    control: ControlIdentifier.describe('Identifier of the control that the decision is about'),
    attestation_data: z
      .looseObject({ is_compliant: z.boolean().describe('The verdict about the control') })
      .describe('The data of the attestation'),
  })
  .check(namesNeedCommit)
  .meta({ id: 'SystemAttestation', description: 'A decision on a control, which need not exist yet.' });

/**
 * A decision on a control (rules/attestations.md#decision). The caller adds `control_version` to the record and stores
 * `attestation_data` as text.
 */
export const decisionKind = attestationKind({
  type: 'decision',
  segments: ['system'],
  feature: 'controls',
  schema: DecisionReport,
  verdict: ({ attestation_data }) => attestation_data.is_compliant,
  controlOf: ({ control }) => control,
  takesAnyFingerprint: () => true,
  evidence: ({ control }) => ({ control }),
});
