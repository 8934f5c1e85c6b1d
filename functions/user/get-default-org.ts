import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { Directory } from '#shared/organizations/records/directory.ts';

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
  params: z.object({}),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: DefaultOrgOut },
  errors: [],
  handler: async ({ caller }, { table }) => {
    const directory = new Directory(table);
    const user = caller.kind === 'user' ? await directory.user(caller.name) : undefined;
    const chosen = user?.defaultOrganization;
    const member = chosen && (await directory.member(chosen.id, caller.id));
    return { status: 200, body: { default_org_name: member ? chosen.name : '' } };
  },
});
