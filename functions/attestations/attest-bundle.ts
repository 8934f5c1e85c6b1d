import * as z from 'zod';
import { invalid } from '#shared/base/errors.ts';
import { isDictionary, withInput } from '#shared/base/validation.ts';
import type { FilePart } from '#shared/bodies/file-part.ts';
import { decisionBinding } from '#shared/controls/decision-binding.ts';
import { type MadeFromBundle, recordBundles } from '#shared/evidence/attestations/record-bundles.ts';
import { ATTEST_USES, type AttestingServices } from '#shared/evidence/record-attestation.ts';
import type { Reported } from '#shared/evidence/reporting.ts';
import { bundleTooLong, tooManyOfBundles } from '#shared/evidence/rules/bundles/sentences.ts';
import { BundleReport } from '#shared/evidence/rules/kinds/bundle.ts';
import { artifactNotInTrail, unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { FlowName, TrailName } from '#shared/evidence/rules/shared-fields.ts';
import { leastGrade, Verification } from '#shared/evidence/rules/verification.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { inlineFileTooLarge } from '#shared/http/sentences.ts';
import { answerWrite } from '#shared/http/written.ts';

const { grade, signer, error } = Verification.shape;

const Made = z.object({
  attestation_id: z.string().describe('Id of the attestation'),
  attestation_type: z.string().describe('What the statement is, from its predicate type'),
  artifact_fingerprint: z
    .string()
    .nullable()
    .describe('SHA-256 of the artifact that it is about; null for the trail as a whole'),
  bundle_digest: z.string().describe('SHA-256 of the text of the bundle'),
  grade,
  signer,
  error,
});

const BundlesOut = z
  .object({
    attestations: z.array(Made).describe('What was stored, in the order of the bundles and of their subjects'),
  })
  .meta({ id: 'BundlesReported' });

const PART = 'bundle_file';

/**
 * POST /attestations/{org}/{flow_name}/trail/{trail_name}/bundle: verifies and stores bundles (rules/verified-evidence.md#report-a-bundle).
 */
export const attestBundle = endpoint({
  operation: 'attestBundle',
  method: 'POST',
  path: '/attestations/{org}/{flow_name}/trail/{trail_name}/bundle',
  summary: 'Report signed statements, and verify them',
  description:
    'Takes a Sigstore bundle, a signed envelope, or up to 20 of them as JSON lines. Each one is compared with the signers of the organization and bound to the artifacts of the trail that are among its subjects. A bundle that is not verified is stored as `stated` with the reason, unless `require` is `signed`.',
  access: 'member',
  params: z.object({ org: z.string(), flow_name: FlowName, trail_name: TrailName }),
  query: z.object({
    require: z
      .literal('signed')
      .optional()
      .meta({ description: '`signed`: a bundle that is not verified is refused, and nothing is stored' }),
  }),
  body: {
    kind: 'multipart',
    part: 'data_json',
    schema: BundleReport,
    plainJson: true,
    files: [
      {
        part: PART,
        alsoText: true,
        limit: 4 * 1024 * 1024,
        tooLarge: inlineFileTooLarge,
        description:
          'A bundle of at most 262,144 characters, or up to 20 as JSON lines. Without it, `attachments` has the id of an uploaded file',
      },
    ],
  },
  success: { 201: BundlesOut },
  headers: {
    descriptions: {
      'X-Evidence-Grade': 'The least grade among what was stored: `stated` if a bundle was not verified',
    },
    of: ({ attestations }: z.output<typeof BundlesOut>) => ({
      'x-evidence-grade': leastGrade(attestations.map((made) => made.grade)),
    }),
  },
  makes: { at: '/attestations/{org}?attestation_id={attestation_id}', id: 'attestation_id' },
  appends: '/receipts/{org}/trails/{flow_name}/{trail_name}/{number}',
  errors: [artifactNotInTrail, unknownFlow, inlineFileTooLarge, bundleTooLong, tooManyOfBundles],
  checks: [({ sent, files }) => requireOneFile(files, sent)],
  uses: ATTEST_USES,
  handler: async (request, services: AttestingServices) => {
    const { params, query, body, bodyText, files } = request;
    const target = { flow: params.flow_name, trail: params.trail_name };
    const reported = { body, bodyText, file: files.at(0), isSignedRequired: query.require === 'signed' };
    return answerWrite(
      request,
      (by) => recordBundles(services, by, target, reported, decisionBinding),
      ({ made, appended }: Reported<MadeFromBundle[]>) => ({
        status: 201,
        body: { attestations: made.map(madeOut) },
        // Several attestations have no common address: the body lists them.
        ...(made.length === 1 && { made: { attestation_id: made[0]?.id ?? '' } }),
        appended,
      }),
    );
  },
});

const madeOut = ({ id, type, fingerprint, verification }: MadeFromBundle): z.input<typeof Made> => ({
  attestation_id: id,
  attestation_type: type,
  artifact_fingerprint: fingerprint,
  bundle_digest: verification.bundle_digest ?? '',
  grade: verification.grade,
  signer: verification.signer,
  error: verification.error,
});

/** @throws ServiceError `invalid` unless there is a part with the bundle, or exactly one upload */
function requireOneFile(files: readonly FilePart[], sent: unknown): void {
  const given = isDictionary(sent) ? sent['attachments'] : undefined;
  const uploads = Array.isArray(given) ? given : [];
  if (files.length + uploads.length === 1) return;
  if (files.length === 0 && uploads.length === 0) throw invalid({ [PART]: withInput('Field required', undefined) });
  throw invalid({
    attachments: withInput(`Send one file: the part ${PART}, or the id of one upload in this field`, uploads),
  });
}
