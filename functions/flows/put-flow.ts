import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { PUT_FLOW, putFlow as put, templateOfNames } from '#shared/evidence/flows/put-flow.ts';
import { unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite } from '#shared/http/written.ts';
import { flowFields } from './flow-fields.ts';
import { flowPut } from './flow-output.ts';

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
