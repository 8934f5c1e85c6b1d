import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { leaveOrganization as leave } from '#shared/organizations/own-membership.ts';
import { lastAdmin, offerNotFound, ownerOfPersonal } from '#shared/organizations/rules/sentences.ts';
import { changeOwn } from './own-membership.ts';

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
  params: z.object({ org: z.string() }),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: z.literal('OK') },
  errors: [offerNotFound, lastAdmin, ownerOfPersonal],
  uses: { writes: ['@OFFER', 'AUDIT'], removes: ['MEMBER', '@MEMBEROF'], checks: ['MEMBER'] },
  handler: (request, { table }) =>
    changeOwn(request, table, async (membership) => {
      const { user, org } = membership;
      const outcome = await leave(table, membership);
      if (outcome === 'last admin') throw lastAdmin({ user: user.name, org: org.name });
      if (outcome === 'owner') throw ownerOfPersonal({ user: user.name, org: org.name });
      return outcome;
    }),
});
