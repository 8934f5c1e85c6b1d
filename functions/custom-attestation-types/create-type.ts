import * as z from 'zod';
import { newId } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import {
  changeType,
  createType as create,
  prepareContent,
  sameContent,
} from '#shared/evidence/records/custom-type-writes.ts';
import { readContent, readTypeHead, type TypeContent } from '#shared/evidence/records/custom-types.ts';
import { CustomTypeName } from '#shared/evidence/rules/shared-fields.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { claimAlone, ok, written } from '#shared/http/written.ts';
import { auditing } from '#shared/organizations/records/audit.ts';
import { claimWrites, type EarlierRequest } from '#shared/table/idempotency.ts';
import { checkPrograms, checkSchema, SCHEMA_PART, schemaText } from './check-content.ts';

/** Bytes of the largest schema of a type (rules/attestations.md#create-a-type). */
const SCHEMA_LIMIT = 1024 * 1024;
const MOST_PROGRAMS = 100;

const Program = z.string().min(1);
const TypeReport = z
  .object({
    name: CustomTypeName,
    description: z.string().nullish(),
    evaluator: z
      .object({ content_type: z.enum(['jq', 'default']), rules: z.array(Program).max(MOST_PROGRAMS).nullish() })
      .nullish()
      .meta({ description: 'jq programs; each must give true for a compliant attestation' }),
    summary: z
      .array(z.object({ name: z.string().min(1), expression: Program }))
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
  params: z.object({ org: z.string() }),
  query: z.object({}),
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
  errors: [],
  checks: [
    ({ files }, { engines }) => checkSchema(files, engines),
    ({ body }, { engines }) => body && checkPrograms(programsOf(body), engines),
  ],
  uses: { writes: ['TYPE', 'CATALOGUE', 'BODY', 'AUDIT'], bucket: ['bodies:read', 'bodies:write'] },
  handler: async (request, { table, objects, clock }) => {
    const { body, files, org, caller, idempotency } = request;
    const { name } = body;
    const content: TypeContent = { schema: schemaText(files), ...programsOf(body) };
    const answer = ok(201, { name });
    const prepared = prepareContent(objects, org.id, name, content);
    const outcome = await retrying(async (): Promise<'done' | 'again' | EarlierRequest> => {
      const head = await readTypeHead(table, org.id, name);
      const description = body.description ?? head?.description ?? null;
      const isSame = head !== null && sameContent(content, await readContent(objects, org.id, head.content));
      const stamp = { at: clock.now(), by: caller.name };
      const claim = claimWrites(idempotency, answer, stamp.at);
      if (isSame && description === head.description) return claimAlone(table, claim);
      if (!isSame) await prepared.upload();
      const type = { id: head?.id ?? newId(stamp.at), name, description };
      const subject = { type: 'custom_attestation_type', id: type.id, name };
      if (!head) {
        const after = { version: 1, description };
        const audited = { kind: 'custom_type.created', subject, after } as const;
        return create(table, org.id, type, prepared, stamp, auditing(request, audited, claim));
      }
      const change = { description, content: isSame ? undefined : prepared };
      const audited = {
        kind: 'custom_type.changed',
        subject,
        before: { version: head.latest, description: head.description },
        after: { version: head.latest + (isSame ? 0 : 1), description },
      } as const;
      return changeType(table, org.id, head, change, stamp, auditing(request, audited, claim));
    });
    return written(answer, outcome);
  },
});

/** The programs of a type in a request. Rules of another content type than jq do not count. */
const programsOf = ({ evaluator, summary }: z.output<typeof TypeReport>): Omit<TypeContent, 'schema'> => ({
  rules: evaluator?.content_type === 'jq' ? (evaluator.rules ?? []) : [],
  summary: summary && summary.length > 0 ? summary : null,
});
