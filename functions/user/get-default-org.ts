import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { getDefaultOrganization } from '#shared/organizations/default-organization.ts';

const DefaultOrgOut = z
  .object({ default_org_name: z.string().meta({ description: '`""` = none' }) })
  .meta({ id: 'DefaultOrganization' });

/** GET /user/default-org: `""` if none is set or the membership has ended (rules/organizations.md#default-organization). */
export const getDefaultOrg = endpoint({
  operation: 'getDefaultOrganization',
  method: 'GET',
  path: '/user/default-org',
  summary: 'Get the default organization of the calling user',
  description: 'Service accounts have no default organization.',
  access: 'authenticated',
  success: { 200: DefaultOrgOut },
  handler: async (request, stores: Pick<Stores, 'table'>) => ({
    status: 200,
    body: { default_org_name: (await getDefaultOrganization(stores, request)) ?? '' },
  }),
});
