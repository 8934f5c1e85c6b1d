import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { PUT_FLOW, putFlow as put, templateOfNames } from '#shared/evidence/flows/put-flow.ts';
import { unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { FlowName } from '#shared/evidence/rules/shared-fields.ts';
import { readTemplateFile, TEMPLATE_FILE } from '#shared/evidence/rules/template-file.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite } from '#shared/http/written.ts';
import { flowPut } from './flow-output.ts';

/** The fields that both endpoints accept which create or change a flow. Absent or null leaves a field unchanged. */
const flowFields = {
  name: FlowName.describe('Name of the flow. An existing flow of this name is updated'),
  description: z.string().nullish().describe('A text for people'),
  visibility: z
    .enum(['public', 'private'])
    .nullish()
    .describe('Stored and shown, without effect on who may read the flow'),
};

const FlowReport = z
  .object({
    ...flowFields,
    template: z.array(z.string().min(1).max(255)).max(1000).nullish().meta({
      description: 'Names of the attestations that an artifact must have, of any type. The name `artifact` is ignored.',
    }),
  })
  .meta({ id: 'FlowReport', description: 'A flow in the deprecated form: its template is a list of names.' });

/** PUT /flows/{org}: creates or updates a flow by the deprecated form (rules/flows.md#legacy-upsert). */
export const putFlow = endpoint({
  operation: 'putFlow',
  method: 'PUT',
  path: '/flows/{org}',
  summary: 'Create a flow, or update it, with a list of names as its template',
  access: 'member',
  deprecated: true,
  body: { kind: 'json', schema: FlowReport },
  success: { 200: z.literal('OK'), 201: z.literal('OK') },
  makes: { at: '/flows/{org}/{flow}', id: 'flow' },
  errors: [unknownFlow],
  uses: PUT_FLOW,
  handler: async (request, stores: Stores) => {
    const { template, ...given } = request.body;
    return answerWrite(
      request,
      (by) => put(stores, by, { ...given, template: templateOfNames(template) }),
      flowPut(given),
    );
  },
});

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
    return answerWrite(request, (by) => put(stores, by, { ...request.body, template }), flowPut(request.body));
  },
});
