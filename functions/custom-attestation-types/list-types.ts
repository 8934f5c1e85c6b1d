import * as z from 'zod';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { readTypes } from '#shared/evidence/records/custom-types.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { booleanField } from '#shared/http/query-fields.ts';
import { noteUnreadable } from '#shared/http/unreadable.ts';
import { TypeOut, typeOut, unreadableType } from './type-output.ts';

/** GET /custom-attestation-types/{org}: row 18 of the API document; which ones: semantics §16.1. */
export const listTypes = endpoint({
  operation: 'listCustomAttestationTypes',
  method: 'GET',
  path: '/custom-attestation-types/{org}',
  summary: 'List the custom attestation types of an organization',
  description: 'An array, by name, without the archived ones unless they are asked for.',
  access: 'reader',
  row: 18,
  params: z.object({ org: z.string() }),
  query: z.object({ archived: booleanField().default(false).meta({ description: 'Archived types too' }) }),
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
