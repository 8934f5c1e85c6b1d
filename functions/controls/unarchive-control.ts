import type { Stores } from '#shared/bodies/stores.ts';
import { CHANGE_CONTROL, setControlArchived } from '#shared/controls/change-control.ts';
import { unknownControl } from '#shared/controls/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite } from '#shared/http/written.ts';
import { ControlOut, changedControl } from './control-output.ts';

/** POST …/unarchive: adds the version `unarchived`, unless the control is active already (rules/controls.md#archive). */
export const unarchiveControl = endpoint({
  operation: 'unarchiveControl',
  method: 'POST',
  path: '/controls/{org}/{identifier}/unarchive',
  summary: 'Unarchive a control',
  description: 'An active control does not change.',
  access: 'admin',
  feature: 'controls',
  success: { 200: ControlOut },
  errors: [unknownControl],
  uses: CHANGE_CONTROL,
  handler: (request, stores: Stores) =>
    answerWrite(
      request,
      (by) => setControlArchived(stores, by, request.params.identifier, false),
      changedControl(request),
    ),
});
