import type { Stores } from '#shared/bodies/stores.ts';
import { CHANGE_CONTROL, setControlArchived } from '#shared/controls/change-control.ts';
import { unknownControl } from '#shared/controls/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite } from '#shared/http/written.ts';
import { ControlOut, changedControl } from './control-output.ts';

/** POST …/archive: adds the version `archived`, unless the control is archived already (rules/controls.md#archive). */
export const archiveControl = endpoint({
  operation: 'archiveControl',
  method: 'POST',
  path: '/controls/{org}/{identifier}/archive',
  summary: 'Archive a control',
  description: 'The control leaves the default list. It keeps its identifier, its decisions and its versions.',
  access: 'admin',
  feature: 'controls',
  success: { 200: ControlOut },
  errors: [unknownControl],
  uses: CHANGE_CONTROL,
  handler: (request, stores: Stores) =>
    answerWrite(
      request,
      (by) => setControlArchived(stores, by, request.params.identifier, true),
      changedControl(request),
    ),
});
