import * as z from 'zod';
import { decisionBinding } from '#shared/controls/decision-binding.ts';
import { type MadeFromBundle, recordBundles } from '#shared/evidence/attestations/record-bundles.ts';
import { ATTEST_USES, type AttestingServices } from '#shared/evidence/record-attestation.ts';
import type { Reported } from '#shared/evidence/reporting.ts';
import { FlowName, TrailName } from '#shared/evidence/rules/shared-fields.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite } from '#shared/http/written.ts';
import {
  BUNDLE_BODY,
  BUNDLE_ERRORS,
  GRADE_HEADER,
  madeFields,
  madeOut,
  reportedBy,
  requireField,
  requireOneFile,
} from './bundle-forms.ts';

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
  query: z.object(requireField),
  body: BUNDLE_BODY,
  success: { 201: z.object(madeFields).meta({ id: 'BundlesReported' }) },
  headers: GRADE_HEADER,
  makes: { at: '/attestations/{org}?attestation_id={attestation_id}', id: 'attestation_id' },
  appends: '/receipts/{org}/trails/{flow_name}/{trail_name}/{number}',
  errors: BUNDLE_ERRORS,
  checks: [({ sent, files }) => requireOneFile(files, sent)],
  uses: ATTEST_USES,
  handler: async (request, services: AttestingServices) => {
    const { params } = request;
    const target = { flow: params.flow_name, trail: params.trail_name };
    const reported = reportedBy(request);
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
