import * as z from 'zod';
import { sameControl } from '#shared/controls/records/control-writes.ts';
import { controlArchived, unknownControl } from '#shared/controls/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { CHANGE_USES, changeControl } from './change-control.ts';
import { ControlDescription, ControlLinks, ControlName } from './control-fields.ts';
import { ControlOut } from './control-output.ts';

const ControlChange = z
  .strictObject({
    name: ControlName.nullish(),
    description: ControlDescription.nullish(),
    links: ControlLinks.nullish(),
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
  params: z.object({ org: z.string(), identifier: z.string() }),
  query: z.object({}),
  body: { kind: 'json', schema: ControlChange, optional: true },
  success: { 200: ControlOut },
  errors: [unknownControl, controlArchived],
  uses: CHANGE_USES,
  handler: (request, services) =>
    changeControl(request, services, ({ head, content: before }) => {
      const { body, params, org } = request;
      if (head.archived) throw controlArchived({ control: params.identifier, org: org.name });
      const content = {
        name: body.name ?? before.name,
        description: body.description ?? before.description,
        links: body.links ?? before.links,
      };
      return sameControl(content, before) ? null : { status: 'updated', content };
    }),
});
