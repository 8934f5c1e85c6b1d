import * as z from 'zod';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { readTypes } from '#shared/evidence/records/custom-types.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { booleanField } from '#shared/http/query-fields.ts';
import { noteUnreadable } from '#shared/http/unreadable.ts';
import { TypeOut, typeOut, unreadableType } from './type-output.ts';

/** GET /custom-attestation-types/{org}: the types of the organization, by name (rules/attestations.md#read-a-type). */
export const listTypes = endpoint({
  operation: 'listCustomAttestationTypes',
  method: 'GET',
  path: '/custom-attestation-types/{org}',
  summary: 'List the custom attestation types of an organization',
  description: 'An array, sorted by name. It has archived types only if `archived` is true.',
  access: 'reader',
  row: 18,
  params: z.object({ org: z.string() }),
  query: z.object({
    archived: booleanField().default(false).meta({ description: 'Whether to include archived types' }),
  }),
  body: { kind: 'none' },
  success: { 200: z.array(TypeOut) },
  errors: [],
  uses: READ_BODIES,
  handler: async (request, { table, objects }) => {
    const { query, org } = request;
    const types = await readTypes(table, objects, org.id, query);
    const body = types.map((type) => {
      if (!('unreadable' in type)) return typeOut(type, org.name);
      noteUnreadable('custom-attestation-types', request, `custom type ${type.name}`, type.unreadable);
      return unreadableType(type.name, org.name);
    });
    return { status: 200, body };
  },
});
