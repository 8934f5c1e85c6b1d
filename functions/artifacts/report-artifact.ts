import * as z from 'zod';
import { cutMembers } from '#shared/base/json-text.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import {
  REPORT_ARTIFACT,
  type ReportedArtifact,
  reportArtifact as report,
} from '#shared/evidence/artifacts/report-artifact.ts';
import type { Reported } from '#shared/evidence/reporting.ts';
import { ArtifactReport } from '#shared/evidence/rules/artifact-report.ts';
import { unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { FlowName } from '#shared/evidence/rules/shared-fields.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite, ok } from '#shared/http/written.ts';

/** POST /artifacts/{org}/{flow_name}: reports an artifact into a trail (rules/artifacts.md#report). */
export const reportArtifact = endpoint({
  operation: 'reportArtifact',
  method: 'POST',
  path: '/artifacts/{org}/{flow_name}',
  summary: 'Report an artifact into a trail',
  description:
    'Creates the flow and the trail if they do not exist. Reporting a fingerprint again makes a new record; its attestations stay attached.',
  access: 'member',
  row: 5,
  params: z.object({ org: z.string(), flow_name: FlowName }),
  body: { kind: 'json', schema: ArtifactReport },
  success: { 201: z.literal('OK') },
  makes: { at: '/artifacts/{org}/{flow_name}/fingerprint/{fingerprint}?trail={trail}', id: 'artifact_id' },
  appends: '/receipts/{org}/trails/{flow_name}/{trail}/{number}',
  errors: [unknownFlow],
  uses: REPORT_ARTIFACT,
  handler: async (request, stores: Stores) => {
    const { params, body, bodyText } = request;
    const { user_data: userData } = cutMembers(bodyText, ['user_data']);
    const { fingerprint } = body;
    return answerWrite(
      request,
      (by) => report(stores, by, params.flow_name, body, userData),
      ({ made: { id, trail }, appended }: Reported<ReportedArtifact>) => ({
        ...ok(201, { fingerprint, trail, artifact_id: id }),
        appended,
      }),
    );
  },
});
