import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { joinOrganization as join } from '#shared/organizations/own-membership.ts';
import { offerNotFound } from '#shared/organizations/rules/sentences.ts';
import { changeOwn } from './own-membership.ts';

/** PUT /organizations/{org}/membership: the caller accepts what the organization offers (rules/sign-in.md#offers). */
export const joinOrganization = endpoint({
  operation: 'joinOrganization',
  method: 'PUT',
  path: '/organizations/{org}/membership',
  summary: 'Join an organization that invited the calling user, or whose sign-in rules let the user in',
  description:
    '`GET /user` lists the offers. Until the user joins, the organization does not learn who was offered what.',
  access: 'user',
  managesAccess: true,
  params: z.object({ org: z.string() }),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: z.literal('OK') },
  errors: [offerNotFound],
  uses: { writes: ['MEMBER', '@MEMBEROF', 'AUDIT'], removes: ['INVITED', '@OFFER'] },
  handler: (request, { table }) => changeOwn(request, table, (membership) => join(table, membership)),
});
