import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { unknownType, unknownTypeVersion } from '#shared/evidence/rules/sentences.ts';
import { getType as get, getTypeVersion } from '#shared/evidence/types/read-types.ts';
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
  query: z.object({
    version: z
      .string()
      .optional()
      .meta({ description: 'Number of one version; a value that is not a whole number is ignored' }),
  }),
  success: { 200: TypeOut },
  errors: [unknownType, unknownTypeVersion],
  uses: READ_BODIES,
  handler: async ({ params: { name }, query: { version }, org }, stores: Pick<Stores, 'table' | 'objects'>) => {
    const body =
      version === undefined || !INTEGER.test(version)
        ? typeOut(await get(stores, org, name), org.name)
        : versionedTypeOut(await getTypeVersion(stores, org, name, version), org.name);
    return { status: 200, body };
  },
});
