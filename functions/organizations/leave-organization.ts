import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { ok } from '#shared/http/written.ts';
import { LEAVE_ORGANIZATION, leaveOrganization as leave } from '#shared/organizations/members/own-membership.ts';
import { lastAdmin, offerNotFound, ownerOfPersonal } from '#shared/organizations/rules/sentences.ts';
import { membershipsOf } from './changed-memberships.ts';

/** DELETE /organizations/{org}/membership: the caller leaves the organization or declines its offer (rules/sign-in.md#offers). */
export const leaveOrganization = endpoint({
  operation: 'leaveOrganization',
  method: 'DELETE',
  path: '/organizations/{org}/membership',
  summary: 'Leave an organization, or decline its offer',
  description:
    'A declined offer stays, and can be accepted later. The organization does not learn that it was declined. The last admin cannot leave.',
  access: 'user',
  managesAccess: true,
  success: { 200: z.literal('OK') },
  errors: [offerNotFound, lastAdmin, ownerOfPersonal],
  uses: LEAVE_ORGANIZATION,
  handler: async (request, stores: Pick<Stores, 'table'>) => {
    const id = await leave(stores, request, request.params.org);
    return { ...ok(200), distrust: membershipsOf({ id }, request.caller.id) };
  },
});
