import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { ARCHIVE_FLOW, archiveFlow as archive } from '#shared/evidence/flows/archive-flow.ts';
import { unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerOk } from '#shared/http/written.ts';

/** PUT /flows/{org}/{flow}/archive: removes a flow from the lists and frees its names (rules/flows.md#archive). */
export const archiveFlow = endpoint({
  operation: 'archiveFlow',
  method: 'PUT',
  path: '/flows/{org}/{flow}/archive',
  summary: 'Archive a flow',
  description: 'Its trails and records stay readable under the name `{name}-archived-at-{seconds since the epoch}`.',
  access: 'member',
  success: { 200: z.literal('OK') },
  errors: [unknownFlow],
  uses: ARCHIVE_FLOW,
  handler: async (request, stores: Pick<Stores, 'table' | 'clock'>) =>
    answerOk(request, (by) => archive(stores, by, request.params.flow)),
});
