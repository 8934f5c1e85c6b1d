import * as z from 'zod';
import { unknownControl } from '#shared/controls/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { CHANGE_USES, changeControl } from './change-control.ts';
import { ControlOut } from './control-output.ts';

/** POST …/unarchive: adds the version `unarchived`, unless the control is active already (rules/controls.md#archive). */
export const unarchiveControl = endpoint({
  operation: 'unarchiveControl',
  method: 'POST',
  path: '/controls/{org}/{identifier}/unarchive',
  summary: 'Unarchive a control',
  description: 'An active control does not change.',
  access: 'admin',
  feature: 'controls',
  params: z.object({ org: z.string(), identifier: z.string() }),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: ControlOut },
  errors: [unknownControl],
  uses: CHANGE_USES,
  handler: (request, services) =>
    changeControl(request, services, ({ head }) => (head.archived ? { status: 'unarchived' } : null)),
});
