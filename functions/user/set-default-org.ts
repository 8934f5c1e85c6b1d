import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { ok } from '#shared/http/written.ts';
import { SET_DEFAULT_ORGANIZATION, setDefaultOrganization } from '#shared/organizations/default-organization.ts';
import { accessDenied } from '#shared/organizations/rules/sentences.ts';

/**
 * PUT /user/{org}: sets the default organization. An unknown organization and one without the caller get the same 403
 * (rules/organizations.md#default-organization).
 */
export const setDefaultOrg = endpoint({
  operation: 'setDefaultOrganization',
  method: 'PUT',
  path: '/user/{org}',
  summary: 'Set the default organization of the calling user',
  access: 'authenticated',
  success: { 200: z.literal('OK') },
  errors: [accessDenied],
  uses: SET_DEFAULT_ORGANIZATION,
  handler: async (request, stores: Pick<Stores, 'table'>) => {
    const isSet = await setDefaultOrganization(stores, request, request.params.org);
    if (!isSet) throw accessDenied({ path: request.path });
    return ok(200);
  },
});
