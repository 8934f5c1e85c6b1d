import * as z from 'zod';
import { WRITE_FLOW } from '#shared/evidence/records/uses.ts';
import { unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { readTemplateFile, TEMPLATE_FILE } from '#shared/evidence/template-file.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { flowFields, upsertFlow } from './upsert-flow.ts';

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
  params: z.object({ org: z.string() }),
  query: z.object({}),
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
  uses: WRITE_FLOW,
  handler: async (request, services) => {
    const given = readTemplateFile(request.files);
    const template = given && { shown: given.text, text: given.text };
    return upsertFlow(request, { ...request.body, template }, services);
  },
});
