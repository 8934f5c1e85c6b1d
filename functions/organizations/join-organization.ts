import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { ok } from '#shared/http/written.ts';
import { JOIN_ORGANIZATION, joinOrganization as join } from '#shared/organizations/members/own-membership.ts';
import { offerNotFound } from '#shared/organizations/rules/sentences.ts';
import { membershipsOf } from './changed-memberships.ts';

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
  success: { 200: z.literal('OK') },
  errors: [offerNotFound],
  uses: JOIN_ORGANIZATION,
  handler: async (request, stores: Pick<Stores, 'table'>) => {
    const id = await join(stores, request, request.params.org);
    return { ...ok(200), distrust: membershipsOf({ id }, request.caller.id) };
  },
});
