import * as z from 'zod';
import { ID_PATTERN } from '#shared/base/ids.ts';
import type { StatementKind } from '../predicates/kind-of.ts';
import { AttestationName, ControlIdentifier } from '../shared-fields.ts';
import type { Verification } from '../verification.ts';
import { type AttestationKind, attestationKind, reportShape, withAttachments } from './kind.ts';

export const BundleReport = z
  .object({
    ...withAttachments,
    artifact_fingerprint: reportShape.artifact_fingerprint.describe(
      'SHA-256 of the one artifact that counts, which has to be a subject. Without it, all subjects in the trail count',
    ),
    target_artifacts: z
      .array(AttestationName)
      .max(0, 'The subjects of the bundle say which artifacts it is about. Leave this field out')
      .nullish()
      .describe('Left out: the subjects of the bundle say which artifacts it is about'),
    attachments: withAttachments.attachments.describe(
      'The id of an uploaded file with the bundle, in place of `bundle_file`',
    ),
    signed_file: z
      .string()
      .regex(ID_PATTERN)
      .nullish()
      .describe('The id of an uploaded file that bundles without a statement sign, in place of the part `signed_file`'),
    signer: z
      .string()
      .min(1)
      .max(64)
      .nullish()
      .describe('Name of the signer whose signature it has to be. Without it, every signer of the organization counts'),
    control: ControlIdentifier.nullish().describe(
      'Identifier of a control: the bundle is then also a decision about it. A verification summary that says `FAILED` is not compliant',
    ),
  })
  .meta({
    id: 'BundleAttestation',
    description: 'What is reported with a bundle. What the bundle is about, and its type, stand in the bundle.',
  });
export type BundleReport = z.output<typeof BundleReport>;

const BUNDLE = attestationKind({
  type: 'statement',
  segments: ['bundle'],
  schema: BundleReport,
  // The presence of the statement is the evidence. Policies ask for signers and for what the statement says.
  verdict: () => true,
  evidence: ({ control }) => (control == null ? {} : { control }),
});

/**
 * Returns the kind of attestations that come as bundles of such statements (rules/verified-evidence.md#report-a-bundle).
 *
 * @param control identifier of the control that the bundle decides about; absent = it is evidence alone
 * @param verification of the bundle: a summary of another verifier that failed is a decision that is not compliant
 */
export const bundleKind = (
  type: StatementKind,
  control: string | null | undefined,
  { statement }: Pick<Verification, 'statement'>,
): AttestationKind<typeof BundleReport> => ({
  ...BUNDLE,
  type,
  recordType: () => type,
  slotType: () => type,
  ...(control != null && { controlOf: () => control, verdict: () => statement?.['result'] !== 'FAILED' }),
});
