import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { archivedEnvironment, unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { getEnvironment as get } from '#shared/environments/settings/get-environment.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { EnvironmentOut, environmentOut } from './environment-output.ts';

/** GET /environments/{org}/{env_name}, by the present name or an alias (rules/environments.md#record). */
export const getEnvironment = endpoint({
  operation: 'getEnvironment',
  method: 'GET',
  path: '/environments/{org}/{env_name}',
  summary: 'Get an environment',
  access: 'reader',
  success: { 200: EnvironmentOut },
  errors: [unknownEnvironment, archivedEnvironment],
  uses: READ_BODIES,
  handler: async ({ params, org, host }, stores: Pick<Stores, 'table' | 'objects'>) => {
    const { environment, names } = await get(stores, org, params.env_name);
    return { status: 200, body: environmentOut({ org, host }, environment, names) };
  },
});
