import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { answerWrite, ok } from '#shared/http/written.ts';
import {
  type MemberRemoved,
  REMOVE_MEMBER,
  removeMember as remove,
} from '#shared/organizations/members/change-members.ts';
import { lastAdmin, ownerOfPersonal, userNotFound } from '#shared/organizations/rules/sentences.ts';
import { membershipsOf } from './changed-memberships.ts';

/** DELETE /organizations/{org}/members/{user}: 404 if the name is neither a member's nor invited (rules/organizations.md#members). */
export const removeMember = endpoint({
  operation: 'removeMember',
  method: 'DELETE',
  path: '/organizations/{org}/members/{user}',
  summary: 'End the membership of a user, or withdraw an invitation',
  description: 'The last admin cannot be removed.',
  access: 'admin',
  managesAccess: true,
  success: { 200: z.literal('OK') },
  errors: [userNotFound, lastAdmin, ownerOfPersonal],
  uses: REMOVE_MEMBER,
  handler: async (request, stores: Pick<Stores, 'table'>) => {
    const { org, params } = request;
    return answerWrite(
      request,
      (by) => remove(stores, by, params.user),
      ({ member }: MemberRemoved) => ({ ...ok(200), distrust: membershipsOf(org, member) }),
    );
  },
});
