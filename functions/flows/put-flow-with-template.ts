import * as z from 'zod';
import { parseTemplate, TemplateError } from '#shared/evidence/template.ts';
import { endpoint, type FilePart } from '#shared/http/endpoint.ts';
import { invalid } from '#shared/http/errors.ts';
import { unknownFlow } from '#shared/http/sentences.ts';
import { flowFields, type GivenTemplate, upsertFlow } from './upsert-flow.ts';

const PART = 'template_file';
/** A template file may have at most this many bytes (semantics §15). */
const TEMPLATE_LIMIT = 1024 * 1024;

const FlowForm = z.object(flowFields).meta({ id: 'FlowForm', description: 'A flow whose template comes as a file.' });

/** PUT /flows/{org}/template_file: creates a flow or updates it (wire flows §3 F1). */
export const putFlowWithTemplate = endpoint({
  operation: 'putFlowWithTemplate',
  method: 'PUT',
  path: '/flows/{org}/template_file',
  summary: 'Create a flow, or update it, with a template file',
  description: 'What is absent stays as it was, the template too; a new flow without one has the empty template.',
  access: 'member',
  params: z.object({ org: z.string() }),
  query: z.object({}),
  body: {
    kind: 'multipart',
    part: 'data_json',
    schema: FlowForm,
    files: [{ part: PART, limit: TEMPLATE_LIMIT, description: 'The template: YAML, version 1' }],
  },
  success: { 200: z.literal('OK'), 201: z.literal('OK') },
  errors: [unknownFlow],
  handler: async (request, services) =>
    upsertFlow(request, { ...request.body, template: readTemplate(request.files) }, services),
});

/** The uploaded template, checked and kept to the letter: a byte order mark stays, bytes that are no text are refused. */
function readTemplate(files: readonly FilePart[]): GivenTemplate | undefined {
  const file = files.find(({ part }) => part === PART);
  if (!file) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(file.bytes);
    parseTemplate(text);
    return { shown: text, text };
  } catch (error) {
    if (error instanceof TemplateError) throw invalid({ [PART]: error.message }, error);
    if (error instanceof TypeError) throw invalid({ [PART]: 'The text is not UTF-8' }, error);
    throw error;
  }
}
