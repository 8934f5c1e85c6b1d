import * as z from 'zod';
import { decisionBinding } from '#shared/controls/decision-binding.ts';
import {
  type MadeInTrail,
  recordBundlesOfArtifacts,
} from '#shared/evidence/attestations/record-bundles-of-artifacts.ts';
import { ATTEST_USES, type AttestingServices } from '#shared/evidence/record-attestation.ts';
import type { Reported } from '#shared/evidence/reporting.ts';
import { bundlesOfNothing, tooManySubjects } from '#shared/evidence/rules/bundles/sentences.ts';
import { FlowName } from '#shared/evidence/rules/shared-fields.ts';
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
 * POST /bundles/{org}: verifies bundles and stores them in the trail of their artifacts
 * (rules/verified-evidence.md#report-a-bundle-without-a-trail).
 */
export const reportBundles = endpoint({
  operation: 'reportBundles',
  method: 'POST',
  path: '/bundles/{org}',
  summary: 'Report signed statements of artifacts, and verify them',
  description:
    'The same as for a trail, for a sender that knows no trail: the trail is the one that reported one of the subjects last. Subjects that nobody has reported yet are refused.',
  access: 'member',
  query: z.object({
    ...requireField,
    flow_name: FlowName.optional().meta({ description: 'The only flow whose trails count. Without it, all flows' }),
  }),
  body: BUNDLE_BODY,
  success: {
    201: z
      .object({
        flow_name: z.string().describe('Name of the flow of the trail'),
        trail_name: z.string().describe('Name of the trail'),
        ...madeFields,
      })
      .meta({ id: 'BundlesOfArtifactsReported' }),
  },
  headers: GRADE_HEADER,
  makes: { at: '/trails/{org}/{flow_name}/{trail_name}', id: 'trail_name' },
  appends: '/receipts/{org}/trails/{flow_name}/{trail_name}/{number}',
  errors: [...BUNDLE_ERRORS, tooManySubjects, bundlesOfNothing],
  checks: [({ sent, files }) => requireOneFile(files, sent)],
  uses: ATTEST_USES,
  handler: async (request, services: AttestingServices) => {
    const reported = reportedBy(request);
    return answerWrite(
      request,
      (by) => recordBundlesOfArtifacts(services, by, request.query.flow_name, reported, decisionBinding),
      ({ made: { flow, trail, made }, appended }: Reported<MadeInTrail>) => ({
        status: 201,
        body: { flow_name: flow, trail_name: trail, attestations: made.map(madeOut) },
        made: { flow_name: flow, trail_name: trail },
        appended,
      }),
    );
  },
});
