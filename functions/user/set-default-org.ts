import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { ok } from '#shared/http/written.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import { accessDenied } from '#shared/organizations/rules/sentences.ts';
import { ruleFor } from '#shared/organizations/rules/sign-in-rules.ts';

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
  params: z.object({ org: z.string() }),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: z.literal('OK') },
  errors: [accessDenied],
  uses: { writes: ['@USER'] },
  handler: async ({ params, caller, credential, path }, { table }) => {
    const directory = new Directory(table);
    const org = caller.kind === 'user' ? await directory.organization(params.org) : undefined;
    const member = org && (await directory.member(org.id, caller.id));
    const joined = org && ruleFor(org, credential.session?.claims) && (await directory.joined(org.id, caller.id));
    if (!org || !(member ?? joined)) throw accessDenied({ path });
    await directory.setDefaultOrganization(caller.name, org);
    return ok(200);
  },
});
