import * as z from 'zod';
import { unknownControl } from '#shared/controls/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { CHANGE_USES, changeControl } from './change-control.ts';
import { ControlOut } from './control-output.ts';

/** POST /controls/{org}/{identifier}/unarchive: adds a version, unless the control is so already (semantics §7.1). */
export const unarchiveControl = endpoint({
  operation: 'unarchiveControl',
  method: 'POST',
  path: '/controls/{org}/{identifier}/unarchive',
  summary: 'Take an archived control back',
  description: 'A control that is not archived stays as it is.',
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
