import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { CHANGE_CONTROL, updateControl as update } from '#shared/controls/change-control.ts';
import { controlArchived, unknownControl } from '#shared/controls/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite } from '#shared/http/written.ts';
import { ControlDescription, ControlLinks, ControlName } from './control-fields.ts';
import { ControlOut, changedControl } from './control-output.ts';

const ControlChange = z
  .strictObject({
    name: ControlName.nullish().describe('Name of the control'),
    description: ControlDescription.nullish().describe('A text for people'),
    links: ControlLinks.nullish().describe('Links by label'),
  })
  .meta({
    id: 'ControlPutInput',
    description: 'Absent fields stay unchanged; an empty description clears the description.',
  });

/** PUT /controls/{org}/{identifier}: adds a version with new content (rules/controls.md#update). */
export const updateControl = endpoint({
  operation: 'updateControl',
  method: 'PUT',
  path: '/controls/{org}/{identifier}',
  summary: 'Update a control',
  description: 'Adds a version. A request that changes nothing adds none.',
  access: 'admin',
  feature: 'controls',
  body: { kind: 'json', schema: ControlChange, optional: true },
  success: { 200: ControlOut },
  errors: [unknownControl, controlArchived],
  uses: CHANGE_CONTROL,
  handler: (request, stores: Stores) =>
    answerWrite(request, (by) => update(stores, by, request.params.identifier, request.body), changedControl(request)),
});
