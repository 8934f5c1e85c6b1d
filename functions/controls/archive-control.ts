import * as z from 'zod';
import { unknownControl } from '#shared/controls/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { CHANGE_USES, changeControl } from './change-control.ts';
import { ControlOut } from './control-output.ts';

/** POST …/archive: adds the version `archived`, unless the control is archived already (rules/controls.md#archive). */
export const archiveControl = endpoint({
  operation: 'archiveControl',
  method: 'POST',
  path: '/controls/{org}/{identifier}/archive',
  summary: 'Archive a control',
  description: 'The control leaves the default list. It keeps its identifier, its decisions and its versions.',
  access: 'admin',
  feature: 'controls',
  params: z.object({ org: z.string(), identifier: z.string() }),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: ControlOut },
  errors: [unknownControl],
  uses: CHANGE_USES,
  handler: (request, services) =>
    changeControl(request, services, ({ head }) => (head.archived ? null : { status: 'archived' })),
});
