import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { RENAME_FLOW, renameFlow as rename } from '#shared/evidence/flows/rename-flow.ts';
import { flowNotFound } from '#shared/evidence/rules/sentences.ts';
import { FlowName } from '#shared/evidence/rules/shared-fields.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerOk } from '#shared/http/written.ts';

const Rename = z.object({ new_name: FlowName.describe('The new name') }).meta({ id: 'FlowRename' });

/** PUT /flows/{org}/{flow_name}/rename: renames a flow; the old name becomes an alias (rules/flows.md#rename). */
export const renameFlow = endpoint({
  operation: 'renameFlow',
  method: 'PUT',
  path: '/flows/{org}/{flow_name}/rename',
  summary: 'Rename a flow',
  description: 'The flow stays reachable under its old name until another flow takes it.',
  access: 'member',
  row: 6,
  body: { kind: 'json', schema: Rename },
  success: { 200: z.literal('OK') },
  errors: [flowNotFound],
  uses: RENAME_FLOW,
  handler: async (request, stores: Pick<Stores, 'table'>) =>
    answerOk(request, (by) => rename(stores, by, request.params.flow_name, request.body.new_name)),
});
