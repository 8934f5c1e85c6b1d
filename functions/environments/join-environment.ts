import * as z from 'zod';
import { AnyEnvironmentName } from '#shared/base/names.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { archivedEnvironment, unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { JOIN_ENVIRONMENT, joinEnvironment as join } from '#shared/environments/settings/join-environment.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerOk } from '#shared/http/written.ts';

const Join = z
  .object({
    physical_env_name: AnyEnvironmentName.describe('Name of the physical environment that joins the logical one'),
  })
  .meta({ id: 'EnvironmentJoin' });

/** PUT /environments/{org}/{env_name}/join: adds a member to a logical environment (rules/environments.md#join). */
export const joinEnvironment = endpoint({
  operation: 'joinEnvironment',
  method: 'PUT',
  path: '/environments/{org}/{env_name}/join',
  summary: 'Add a physical environment to a logical one',
  description: 'Nothing changes if the physical environment is a member already.',
  access: 'member',
  body: { kind: 'json', schema: Join },
  success: { 200: z.literal('OK') },
  errors: [unknownEnvironment, archivedEnvironment],
  uses: JOIN_ENVIRONMENT,
  handler: async (request, stores: Pick<Stores, 'table' | 'clock'>) => {
    const names = { logical: request.params.env_name, physical: request.body.physical_env_name };
    return answerOk(request, (by) => join(stores, by, names));
  },
});
