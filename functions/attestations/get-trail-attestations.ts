import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { AttestationOut, attestationsOut } from '#shared/evidence/attestation-output.ts';
import { readTrailAttestations } from '#shared/evidence/attestations/read-attestations.ts';
import { unknownFlow, unknownTrail } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';

/**
 * GET /attestations/{org}/{flow}/trail/{trail}/{name}: every attestation of this name in the trail, newest first
 * (rules/attestations.md#by-name-in-a-trail).
 */
export const getTrailAttestations = endpoint({
  operation: 'getTrailAttestations',
  method: 'GET',
  path: '/attestations/{org}/{flow}/trail/{trail}/{name}',
  summary: 'Get the attestations of a trail by name',
  access: 'reader',
  success: { 200: z.array(AttestationOut) },
  errors: [unknownFlow, unknownTrail],
  uses: READ_BODIES,
  handler: async ({ params, org, host }, stores: Pick<Stores, 'table' | 'objects'>) => {
    const { flow, records } = await readTrailAttestations(stores, org, params);
    return { status: 200, body: await attestationsOut(stores, records, { host, org, flowName: () => flow }) };
  },
});
