import type { Stores } from '#shared/bodies/stores.ts';
import { CHANGE_CONTROL, setControlArchived } from '#shared/controls/change-control.ts';
import { unknownControl } from '#shared/controls/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import type { Request } from '#shared/http/request.ts';
import { answerWrite } from '#shared/http/written.ts';
import { ControlOut, changedControl } from './control-output.ts';

const common = {
  method: 'POST',
  access: 'admin',
  feature: 'controls',
  success: { 200: ControlOut },
  uses: CHANGE_CONTROL,
} as const;

/** POST …/archive: adds the version `archived`, unless the control is archived already (rules/controls.md#archive). */
export const archiveControl = endpoint({
  ...common,
  errors: [unknownControl],
  operation: 'archiveControl',
  path: '/controls/{org}/{identifier}/archive',
  summary: 'Archive a control',
  description: 'The control leaves the default list. It keeps its identifier, its decisions and its versions.',
  handler: (request, stores: Stores) => answerArchived(request, stores, true),
});

/** POST …/unarchive: adds the version `unarchived`, unless the control is active already (rules/controls.md#archive). */
export const unarchiveControl = endpoint({
  ...common,
  errors: [unknownControl],
  operation: 'unarchiveControl',
  path: '/controls/{org}/{identifier}/unarchive',
  summary: 'Unarchive a control',
  description: 'An active control does not change.',
  handler: (request, stores: Stores) => answerArchived(request, stores, false),
});

const answerArchived = (request: Request<{ identifier: string }>, stores: Stores, isArchived: boolean) =>
  answerWrite(
    request,
    (by) => setControlArchived(stores, by, request.params.identifier, isArchived),
    changedControl(request),
  );
