import * as z from 'zod';
import { WITH_INVALID_ITEMS } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { CHANGE_CONTROL, updateControl as update } from '#shared/controls/change-control.ts';
import { CREATE_CONTROL, createControl as create } from '#shared/controls/create-control.ts';
import type { Control } from '#shared/controls/list-controls.ts';
import { MOST_REQUIRED } from '#shared/controls/rules/requirements.ts';
import { controlArchived, controlExists, unknownControl } from '#shared/controls/rules/sentences.ts';
import { HttpUrl } from '#shared/evidence/rules/addresses.ts';
import { ControlIdentifier, FlowName } from '#shared/evidence/rules/shared-fields.ts';
import { GRADES } from '#shared/evidence/rules/verification.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite } from '#shared/http/written.ts';
import { SignerName } from '#shared/signers/rules/records.ts';
import { ControlOut, changedControl, controlOut } from './control-output.ts';

const MOST_LINKS = 100;

/** The content of a control in requests (rules/controls.md#fields-of-a-request). Names are short because list entries hold them. */
const ControlName = z.string().min(1).max(255);
const ControlDescription = z.string().max(10_000);
export const ControlLinks = z
  .record(z.string().min(1).max(255), HttpUrl.max(2048))
  .refine((links) => Object.keys(links).length <= MOST_LINKS, {
    error: () => `A control may have at most ${MOST_LINKS} links`,
    ...WITH_INVALID_ITEMS.map,
  })
  .meta({ description: 'Name → address. The links of a request replace all stored links' });

/** What decisions need in order to count (rules/controls.md#requirements). */
const ControlRequirements = z
  .strictObject({
    flows: z.array(FlowName).min(1).max(MOST_REQUIRED).nullish().describe('Only decisions of these flows count'),
    signed_by: z
      .array(SignerName)
      .min(1)
      .max(MOST_REQUIRED)
      .nullish()
      .describe('One of these signers has to have signed'),
    grade: z.enum(GRADES).nullish().describe('The least grade that counts'),
  })
  .meta({ id: 'ControlRequirementsInput' });
const requires = ControlRequirements.nullish().describe(
  'What decisions need in order to count; an empty object = every decision counts',
);

const ControlRequest = z
  .strictObject({
    identifier: ControlIdentifier.describe('Identifier of the control; it never changes'),
    name: ControlName.describe('Name of the control'),
    description: ControlDescription.nullish().describe('A text for people'),
    links: ControlLinks.nullish().describe('Links by label'),
    requires,
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
    const { identifier, name, description = null, links, requires: asked } = request.body;
    return answerWrite(
      request,
      (by) => create(stores, by, identifier, { name, description, links: links ?? {} }, asked ?? {}),
      (control: Control) => ({ status: 201, body: controlOut(control, request), made: { identifier } }),
    );
  },
});

const ControlChange = z
  .strictObject({
    name: ControlName.nullish().describe('Name of the control'),
    description: ControlDescription.nullish().describe('A text for people'),
    links: ControlLinks.nullish().describe('Links by label'),
    requires,
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
