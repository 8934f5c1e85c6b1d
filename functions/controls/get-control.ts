import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { unknownControl } from '#shared/controls/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { getControl as get } from '#shared/policies/get-control.ts';
import { ControlDetailOut, controlOut } from './control-output.ts';

/** GET /controls/{org}/{identifier}: the current state of a control, archived or not (rules/controls.md#get-a-control). */
export const getControl = endpoint({
  operation: 'getControl',
  method: 'GET',
  path: '/controls/{org}/{identifier}',
  summary: 'Get a control',
  access: 'reader',
  feature: 'controls',
  success: { 200: ControlDetailOut },
  errors: [unknownControl],
  uses: READ_BODIES,
  handler: async ({ params, org, host }, stores: Pick<Stores, 'table' | 'objects'>) => {
    const { control, policies } = await get(stores, org, params.identifier);
    return { status: 200, body: { ...controlOut(control, { org, host }), policies_referencing: policies } };
  },
});
