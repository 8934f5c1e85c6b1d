import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { getFlow as get } from '#shared/evidence/flows/get-flow.ts';
import { unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { FlowOut, flowOut } from './flow-output.ts';

/** GET /flows/{org}/{flow}: one flow, by its present, former or archived name (rules/flows.md#get-a-flow). */
export const getFlow = endpoint({
  operation: 'getFlow',
  method: 'GET',
  path: '/flows/{org}/{flow}',
  summary: 'Get a flow',
  access: 'reader',
  success: { 200: FlowOut },
  errors: [unknownFlow],
  uses: READ_BODIES,
  handler: async ({ params, org, host }, stores: Pick<Stores, 'table' | 'objects'>) => ({
    status: 200,
    body: flowOut(await get(stores, org, params.flow), { org, host }),
  }),
});
