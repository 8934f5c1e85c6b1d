import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { archivedEnvironment, unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { CHANGE_SETTINGS } from '#shared/environments/settings/change-settings.ts';
import { patchEnvironment as patch } from '#shared/environments/settings/put-environment.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite, okAppending } from '#shared/http/written.ts';
import { unknownPolicy } from '#shared/policies/rules/sentences.ts';
import { settingsFields } from './settings.ts';

const EnvironmentChange = z
  .strictObject({
    ...settingsFields,
    description: z.string().nullish().meta({ description: 'An empty text clears it' }),
  })
  .meta({ id: 'EnvironmentPatchInput' });

/** PATCH /environments/{org}/{env_name}: absent and null fields stay unchanged (rules/environments.md#patch). */
export const patchEnvironment = endpoint({
  operation: 'patchEnvironment',
  method: 'PATCH',
  path: '/environments/{org}/{env_name}',
  summary: 'Change settings of an environment',
  access: 'member',
  body: { kind: 'json', schema: EnvironmentChange },
  success: { 200: z.literal('OK') },
  errors: [unknownEnvironment, archivedEnvironment, unknownPolicy],
  appends: '/receipts/{org}/environments/{env_name}/{number}',
  uses: CHANGE_SETTINGS,
  handler: async (request, stores: Stores) => {
    const { description, included_environments: members, policies } = request.body;
    return answerWrite(
      request,
      (by) => patch(stores, by, request.params.env_name, { description, members, policies }),
      okAppending(200),
    );
  },
});
