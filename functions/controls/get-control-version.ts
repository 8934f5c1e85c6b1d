import * as z from 'zod';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { readControlVersion } from '#shared/controls/records/controls.ts';
import { controlOrVersionNotFound } from '#shared/controls/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { integerField } from '#shared/http/query-fields.ts';
import { ControlVersionOut, controlVersionOut } from './control-output.ts';

/** GET /controls/{org}/{identifier}/versions/{version_number}: one version of a control (rules/controls.md#version-record). */
export const getControlVersion = endpoint({
  operation: 'getControlVersion',
  method: 'GET',
  path: '/controls/{org}/{identifier}/versions/{version_number}',
  summary: 'Get a version of a control',
  access: 'reader',
  feature: 'controls',
  row: 13,
  params: z.object({ org: z.string(), identifier: z.string(), version_number: integerField({ min: 1 }) }),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: ControlVersionOut },
  errors: [controlOrVersionNotFound],
  uses: READ_BODIES,
  handler: async ({ params: { identifier, version_number: number }, org }, { table, objects }) => {
    const version = await readControlVersion(table, objects, org.id, identifier, number);
    if (!version) throw controlOrVersionNotFound();
    return { status: 200, body: controlVersionOut(identifier, version) };
  },
});
