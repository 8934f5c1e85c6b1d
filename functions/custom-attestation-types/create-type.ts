import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { CustomTypeName } from '#shared/evidence/rules/shared-fields.ts';
import { CREATE_TYPE, createType as create, type TypeContent } from '#shared/evidence/types/create-type.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite, ok } from '#shared/http/written.ts';
import { checkPrograms, checkSchema, SCHEMA_PART, schemaText } from './check-content.ts';

/** Bytes of the largest schema of a type (rules/attestations.md#create-a-type). */
const SCHEMA_LIMIT = 1024 * 1024;
const MOST_PROGRAMS = 100;

const Program = z.string().min(1);
const TypeReport = z
  .object({
    name: CustomTypeName.describe('Name of the type. An existing type of this name gets a new version'),
    description: z.string().nullish().describe('A text for people'),
    evaluator: z
      .object({
        content_type: z.enum(['jq', 'default']).describe('The language of the rules: `jq`'),
        rules: z
          .array(Program)
          .max(MOST_PROGRAMS)
          .nullish()
          .describe('Expressions. All of them must be true for a compliant attestation'),
      })
      .nullish()
      .meta({ description: 'jq programs; each must give true for a compliant attestation' }),
    summary: z
      .array(
        z.object({
          name: z.string().min(1).describe('Name of the text'),
          expression: Program.describe('Expression that makes the text from the data'),
        }),
      )
      .max(MOST_PROGRAMS)
      .nullish()
      .meta({ description: 'Rows to show of the data; the value of each row is a jq program' }),
  })
  .meta({ id: 'CustomAttestationTypeReport' });

/**
 * POST /custom-attestation-types/{org}: creates a type, or adds a version to it
 * (rules/attestations.md#versions-of-a-type).
 */
export const createType = endpoint({
  operation: 'createCustomAttestationType',
  method: 'POST',
  path: '/custom-attestation-types/{org}',
  summary: 'Create a custom attestation type, or a new version of it',
  description:
    'A version is added only if schema, rules or summary differ from the latest version. Without rules every report is compliant.',
  access: 'member',
  body: {
    kind: 'multipart',
    part: 'data_json',
    schema: TypeReport,
    files: [
      {
        part: SCHEMA_PART,
        alsoText: true,
        limit: SCHEMA_LIMIT,
        description: 'JSON Schema of the data; draft-07 unless `$schema` names another dialect',
      },
    ],
  },
  success: { 201: z.literal('OK') },
  makes: { at: '/custom-attestation-types/{org}/{name}', id: 'name' },
  checks: [
    ({ files }, { engines }) => checkSchema(files, engines),
    ({ body }, { engines }) => body && checkPrograms(programsOf(body), engines),
  ],
  uses: CREATE_TYPE,
  handler: async (request, stores: Stores) => {
    const { body, files } = request;
    const { name, description } = body;
    const content = { schema: schemaText(files), ...programsOf(body) };
    return answerWrite(
      request,
      (by) => create(stores, by, { name, description, content }),
      () => ok(201, { name }),
    );
  },
});

/** The programs of a type in a request. Rules of another content type than jq do not count. */
const programsOf = ({ evaluator, summary }: z.output<typeof TypeReport>): Omit<TypeContent, 'schema'> => ({
  rules: evaluator?.content_type === 'jq' ? (evaluator.rules ?? []) : [],
  summary: summary && summary.length > 0 ? summary : null,
});
