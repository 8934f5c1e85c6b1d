import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { archivedEnvironment, unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { getEnvironment as get } from '#shared/environments/settings/get-environment.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { listField } from '#shared/http/query-fields.ts';
import { EnvironmentOut, environmentOut } from './environment-output.ts';

/** GET /environments/{org}/{env_name}, by the present name or an alias (rules/environments.md#record). */
export const getEnvironment = endpoint({
  operation: 'getEnvironment',
  method: 'GET',
  path: '/environments/{org}/{env_name}',
  summary: 'Get an environment',
  access: 'reader',
  query: z.object({
    include: listField(z.enum(['silence']))
      .default([])
      .meta({ description: '`silence`: the usual time between reports, and whether they stopped' }),
  }),
  success: { 200: EnvironmentOut },
  errors: [unknownEnvironment, archivedEnvironment],
  uses: READ_BODIES,
  handler: async ({ params, query, org, host }, stores: Pick<Stores, 'table' | 'objects' | 'clock'>) => {
    const withSilence = query.include.includes('silence');
    const { environment, names } = await get(stores, org, params.env_name, { withSilence });
    return { status: 200, body: environmentOut({ org, host }, environment, names) };
  },
});
