import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { Role } from '#shared/callers/roles.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite, ok } from '#shared/http/written.ts';
import { type MemberPut, PUT_MEMBER, putMember as put } from '#shared/organizations/members/change-members.ts';
import { lastAdmin, ownerOfPersonal, tooManyInvitations, userNotFound } from '#shared/organizations/rules/sentences.ts';
import { membershipsOf } from './changed-memberships.ts';

const MemberRequest = z.object({ role: Role.describe('Role in the organization') }).meta({ id: 'MemberRequest' });

/**
 * PUT /organizations/{org}/members/{user}: invites a user, or changes the role of a member or of an invitation
 * (rules/organizations.md#invitations).
 */
export const putMember = endpoint({
  operation: 'putMember',
  method: 'PUT',
  path: '/organizations/{org}/members/{user}',
  summary: 'Invite a user to an organization, or give a member another role',
  description:
    'A user who is no member is invited and becomes a member by accepting. The answer is the same whether or not there is such a user. An invitation ends after 30 days. The last admin cannot be given another role.',
  access: 'admin',
  managesAccess: true,
  body: { kind: 'json', schema: MemberRequest },
  success: { 200: z.literal('OK'), 201: z.literal('OK') },
  errors: [userNotFound, lastAdmin, ownerOfPersonal, tooManyInvitations],
  uses: PUT_MEMBER,
  handler: async (request, stores: Pick<Stores, 'table'>) => {
    const { org, params, body } = request;
    return answerWrite(
      request,
      (by) => put(stores, by, params.user, body.role),
      ({ isNew, member }: MemberPut) => ({ ...ok(isNew ? 201 : 200), distrust: membershipsOf(org, member) }),
    );
  },
});
