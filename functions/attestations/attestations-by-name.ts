import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { AttestationOut, attestationsOut } from '#shared/evidence/attestation-output.ts';
import { readArtifactAttestations, readTrailAttestations } from '#shared/evidence/attestations/read-attestations.ts';
import { artifactNotInFlow, unknownFlow, unknownTrail } from '#shared/evidence/rules/sentences.ts';
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

/**
 * GET /attestations/{org}/{flow}/artifact/{fingerprint}/{name}: every attestation of this name that is bound to the
 * artifact in any trail of the flow, newest first (rules/attestations.md#by-name-of-an-artifact).
 */
export const getArtifactAttestations = endpoint({
  operation: 'getArtifactAttestations',
  method: 'GET',
  path: '/attestations/{org}/{flow}/artifact/{fingerprint}/{name}',
  summary: 'Get the attestations of an artifact by name',
  access: 'reader',
  success: { 200: z.array(AttestationOut) },
  errors: [unknownFlow, artifactNotInFlow],
  uses: READ_BODIES,
  handler: async ({ params, org, host }, stores: Stores) => {
    const { flow, records } = await readArtifactAttestations(stores, org, params);
    return { status: 200, body: await attestationsOut(stores, records, { host, org, flowName: () => flow }) };
  },
});
