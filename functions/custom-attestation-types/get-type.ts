import * as z from 'zod';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { readType, readTypeVersion } from '#shared/evidence/records/custom-types.ts';
import { unknownType, unknownTypeVersion } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { TypeOut, typeOut, versionedTypeOut } from './type-output.ts';

const INTEGER = /^[+-]?\d+$/;

/**
 * GET /custom-attestation-types/{org}/{name}: a type with all versions, or with one
 * (rules/attestations.md#read-a-type).
 */
export const getType = endpoint({
  operation: 'getCustomAttestationType',
  method: 'GET',
  path: '/custom-attestation-types/{org}/{name}',
  summary: 'Get a custom attestation type',
  access: 'reader',
  params: z.object({ org: z.string(), name: z.string() }),
  query: z.object({
    version: z
      .string()
      .optional()
      .meta({ description: 'Number of one version; a value that is not a whole number is ignored' }),
  }),
  body: { kind: 'none' },
  success: { 200: TypeOut },
  errors: [unknownType, unknownTypeVersion],
  uses: READ_BODIES,
  handler: async ({ params: { name }, query, org }, { table, objects }) => {
    const { version } = query;
    if (version === undefined || !INTEGER.test(version)) {
      const type = await readType(table, objects, org.id, name);
      if (!type) throw unknownType({ type: name, org: org.name });
      return { status: 200, body: typeOut(type, org.name) };
    }
    const type = await readTypeVersion(table, objects, org.id, name, Number(version));
    if (!type) throw unknownType({ type: name, org: org.name });
    if (type.versions.length === 0) throw unknownTypeVersion({ version, type: name });
    return { status: 200, body: versionedTypeOut(type, org.name) };
  },
});
