import * as z from 'zod';
import { legacyTemplateText } from '#shared/evidence/records/templates.ts';
import { WRITE_FLOW } from '#shared/evidence/records/uses.ts';
import { unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { flowFields, type GivenTemplate, upsertFlow } from './upsert-flow.ts';

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
  params: z.object({ org: z.string() }),
  query: z.object({}),
  body: { kind: 'json', schema: FlowReport },
  success: { 200: z.literal('OK'), 201: z.literal('OK') },
  makes: { at: '/flows/{org}/{flow}', id: 'flow' },
  errors: [unknownFlow],
  uses: WRITE_FLOW,
  handler: async (request, services) =>
    upsertFlow(request, { ...request.body, template: templateOfNames(request.body.template) }, services),
});

/** An empty list is stored as the empty template, because it requires nothing. Readers still see the empty list. */
function templateOfNames(names: string[] | null | undefined): GivenTemplate | undefined {
  if (names == null) return undefined;
  return { shown: names, text: names.length === 0 ? '' : legacyTemplateText(names) };
}
