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
      description: 'Names of the evidence that an artifact needs, each a slot of any type; `artifact` itself is none.',
    }),
  })
  .meta({ id: 'FlowReport', description: 'A flow in the deprecated form, its template a list of names.' });

/** PUT /flows/{org}: creates a flow or updates it in the deprecated form (wire flows §3 F2). */
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
  errors: [unknownFlow],
  uses: WRITE_FLOW,
  handler: async (request, services) =>
    upsertFlow(request, { ...request.body, template: legacy(request.body.template) }, services),
});

/** A list without names asks for nothing: it is kept as the empty template, and shown as the list that it is. */
function legacy(names: string[] | null | undefined): GivenTemplate | undefined {
  if (names == null) return undefined;
  return { shown: names, text: names.length === 0 ? '' : legacyTemplateText(names) };
}
