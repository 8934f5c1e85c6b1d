import * as z from 'zod';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { readControl } from '#shared/controls/records/controls.ts';
import { unknownControl } from '#shared/controls/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { readReferencingPolicies } from '#shared/policies/records/referencing-policies.ts';
import { ControlDetailOut, controlOut } from './control-output.ts';

/** GET /controls/{org}/{identifier}: the current state of a control, archived or not (rules/controls.md#get-a-control). */
export const getControl = endpoint({
  operation: 'getControl',
  method: 'GET',
  path: '/controls/{org}/{identifier}',
  summary: 'Get a control',
  access: 'reader',
  feature: 'controls',
  params: z.object({ org: z.string(), identifier: z.string() }),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: ControlDetailOut },
  errors: [unknownControl],
  uses: READ_BODIES,
  handler: async ({ params: { identifier }, org, host }, { table, objects }) => {
    const control = await readControl(table, objects, org.id, identifier);
    if (!control) throw unknownControl({ control: identifier, org: org.name });
    const policies = await readReferencingPolicies(table, org.id, identifier);
    return {
      status: 200,
      body: { ...controlOut(control, { org, host }), policies_referencing: policies.map(({ name }) => name) },
    };
  },
});
