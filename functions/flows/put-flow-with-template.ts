import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { PUT_FLOW, putFlow } from '#shared/evidence/flows/put-flow.ts';
import { unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { readTemplateFile, TEMPLATE_FILE } from '#shared/evidence/rules/template-file.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite } from '#shared/http/written.ts';
import { flowFields } from './flow-fields.ts';
import { flowPut } from './flow-output.ts';

const FlowForm = z
  .object(flowFields)
  .meta({ id: 'FlowForm', description: 'A flow. Its template is sent as a file beside this part.' });

/** PUT /flows/{org}/template_file: creates or updates a flow (rules/flows.md#create-or-update). */
export const putFlowWithTemplate = endpoint({
  operation: 'putFlowWithTemplate',
  method: 'PUT',
  path: '/flows/{org}/template_file',
  summary: 'Create a flow, or update it, with a template file',
  description:
    'Absent fields and an absent template file leave the flow unchanged. A new flow without a template file gets the empty template.',
  access: 'member',
  body: {
    kind: 'multipart',
    part: 'data_json',
    schema: FlowForm,
    files: [TEMPLATE_FILE],
  },
  success: { 200: z.literal('OK'), 201: z.literal('OK') },
  makes: { at: '/flows/{org}/{flow}', id: 'flow' },
  errors: [unknownFlow],
  checks: [({ files }) => readTemplateFile(files)],
  uses: PUT_FLOW,
  handler: async (request, stores: Stores) => {
    const given = readTemplateFile(request.files);
    const template = given && { shown: given.text, text: given.text };
    return answerWrite(request, (by) => putFlow(stores, by, { ...request.body, template }), flowPut(request.body));
  },
});
