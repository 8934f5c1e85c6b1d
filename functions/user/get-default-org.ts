import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import { readOrganizations } from '#shared/organizations/records/organizations-of-user.ts';

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
  handler: async ({ caller, credential }, { table }) => {
    const user = caller.kind === 'user' ? await new Directory(table).user(caller.name) : undefined;
    const chosen = user?.defaultOrganization;
    const [org] = chosen ? await readOrganizations(table, caller.id, [chosen.id], credential.session?.claims) : [];
    return { status: 200, body: { default_org_name: org?.name ?? '' } };
  },
});
