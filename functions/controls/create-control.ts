import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { CREATE_CONTROL, createControl as create } from '#shared/controls/create-control.ts';
import type { Control } from '#shared/controls/list-controls.ts';
import { controlExists } from '#shared/controls/rules/sentences.ts';
import { ControlIdentifier } from '#shared/evidence/rules/shared-fields.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite } from '#shared/http/written.ts';
import { ControlDescription, ControlLinks, ControlName } from './control-fields.ts';
import { ControlOut, controlOut } from './control-output.ts';

const ControlRequest = z
  .strictObject({
    identifier: ControlIdentifier.describe('Identifier of the control; it never changes'),
    name: ControlName.describe('Name of the control'),
    description: ControlDescription.nullish().describe('A text for people'),
    links: ControlLinks.nullish().describe('Links by label'),
  })
  .meta({ id: 'ControlPostInput' });

/** POST /controls/{org}: creates a control with version 1 (rules/controls.md#create). */
export const createControl = endpoint({
  operation: 'createControl',
  method: 'POST',
  path: '/controls/{org}',
  summary: 'Create a control',
  description: 'An identifier belongs to one control for ever. An archived control keeps its identifier.',
  access: 'admin',
  feature: 'controls',
  body: { kind: 'json', schema: ControlRequest },
  success: { 201: ControlOut },
  makes: { at: '/controls/{org}/{identifier}', id: 'identifier' },
  errors: [controlExists],
  uses: CREATE_CONTROL,
  handler: (request, stores: Stores) => {
    const { identifier, name, description = null, links } = request.body;
    return answerWrite(
      request,
      (by) => create(stores, by, identifier, { name, description, links: links ?? {} }),
      (control: Control) => ({ status: 201, body: controlOut(control, request), made: { identifier } }),
    );
  },
});
