import * as z from 'zod';
import { cutMembers } from '#shared/base/json-text.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Reported } from '#shared/evidence/reporting.ts';
import { unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { FlowName } from '#shared/evidence/rules/shared-fields.ts';
import { readTemplateFile, TEMPLATE_FILE } from '#shared/evidence/rules/template-file.ts';
import { TrailReport } from '#shared/evidence/rules/trail-report.ts';
import { BEGIN_TRAIL, type BegunTrail, beginTrail as begin } from '#shared/evidence/trails/begin-trail.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite, ok } from '#shared/http/written.ts';

/** PUT /trails/{org}/{flow}: begins or updates a trail (rules/trails.md#begin-or-update). */
export const beginTrail = endpoint({
  operation: 'beginTrail',
  method: 'PUT',
  path: '/trails/{org}/{flow}',
  summary: 'Begin a trail, or update it',
  description:
    'Creates the flow with an empty template if there is none. Absent fields leave the trail unchanged. An update that changes nothing makes no event.',
  access: 'member',
  params: z.object({ org: z.string(), flow: FlowName }),
  body: {
    kind: 'multipart',
    part: 'data_json',
    schema: TrailReport,
    files: [TEMPLATE_FILE],
  },
  success: { 200: z.literal('OK'), 201: z.literal('OK') },
  makes: { at: '/trails/{org}/{flow}/{trail}', id: 'trail' },
  appends: '/receipts/{org}/trails/{flow}/{trail}/{number}',
  errors: [unknownFlow],
  checks: [({ files }) => readTemplateFile(files)],
  uses: BEGIN_TRAIL,
  handler: async (request, stores: Stores) => {
    const { params, body, bodyText, files } = request;
    const { user_data: userData } = cutMembers(bodyText, ['user_data']);
    return answerWrite(
      request,
      (by) => begin(stores, by, params.flow, { report: body, userData, template: readTemplateFile(files) }),
      ({ made, appended }: Reported<BegunTrail>) => ({ ...ok(made.isNew ? 201 : 200, { trail: body.name }), appended }),
    );
  },
});
