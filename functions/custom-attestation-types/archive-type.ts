import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { unknownType } from '#shared/evidence/rules/sentences.ts';
import { ARCHIVE_TYPE, archiveType as archive } from '#shared/evidence/types/archive-type.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerOk } from '#shared/http/written.ts';

/** PUT /custom-attestation-types/{org}/{name}/archive: archives a type (rules/attestations.md#archive-a-type). */
export const archiveType = endpoint({
  operation: 'archiveCustomAttestationType',
  method: 'PUT',
  path: '/custom-attestation-types/{org}/{name}/archive',
  summary: 'Archive a custom attestation type',
  description: 'New reports of this type are refused. Earlier reports and all versions of the type stay readable.',
  access: 'member',
  success: { 200: z.literal('OK') },
  errors: [unknownType],
  uses: ARCHIVE_TYPE,
  handler: async (request, stores: Pick<Stores, 'table' | 'clock'>) =>
    answerOk(request, (by) => archive(stores, by, request.params.name)),
});
