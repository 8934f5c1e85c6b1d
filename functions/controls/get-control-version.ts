import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { getControlVersion as getVersion } from '#shared/controls/read-versions.ts';

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
  success: { 200: ControlVersionOut },
  errors: [controlOrVersionNotFound],
  uses: READ_BODIES,
  handler: async ({ params: { identifier, version_number }, org }, stores: Pick<Stores, 'table' | 'objects'>) => ({
    status: 200,
    body: controlVersionOut(identifier, await getVersion(stores, org, identifier, version_number)),
  }),
});
