import * as z from 'zod';
import type { PrincipalId } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import { Role } from '#shared/callers/roles.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { claimAlone, ok, written } from '#shared/http/written.ts';
import { stampOf } from '#shared/organizations/records/audit.ts';
import { invitationWrites, MOST_INVITATIONS } from '#shared/organizations/records/invitations.ts';
import { setMember } from '#shared/organizations/records/members.ts';
import { lastAdmin, ownerOfPersonal, tooManyInvitations, userNotFound } from '#shared/organizations/rules/sentences.ts';
import { claimWrites, type EarlierRequest } from '#shared/table/idempotency.ts';
import { knownOf, nameOrRefuse, refuseOwner } from './member-change.ts';

const MemberRequest = z.object({ role: Role }).meta({ id: 'MemberRequest' });

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
  params: z.object({ org: z.string(), user: z.string() }),
  query: z.object({}),
  body: { kind: 'json', schema: MemberRequest },
  success: { 200: z.literal('OK'), 201: z.literal('OK') },
  errors: [userNotFound, lastAdmin, ownerOfPersonal, tooManyInvitations],
  uses: { writes: ['MEMBER', 'INVITED', '@OFFER', 'AUDIT'], checks: ['MEMBER'] },
  handler: async (request, { table, clock }) => {
    const { org, params, body, caller, receivedAt, idempotency } = request;
    const name = nameOrRefuse(params.user);
    if (body.role !== 'admin') refuseOwner(request);
    let answer = ok(200);
    let changed: PrincipalId[] = [];
    const outcome = await retrying(async () => {
      const { change, invitation, invited } = await knownOf(request, table);
      answer = ok(change || invitation ? 200 : 201);
      changed = change ? [change.user.id] : [];
      const claim = claimWrites(idempotency, answer, clock.now());
      if ((change?.before ?? invitation)?.role === body.role) return claimAlone(table, claim);
      if (change) {
        const outcome = await setMember({ ...change, claim }, body.role);
        if (outcome === 'last admin') throw lastAdmin({ user: name, org: org.name });
        return outcome;
      }
      if (!invitation && invited >= MOST_INVITATIONS) throw tooManyInvitations({ count: invited });
      const writes = invitationWrites(org, { name, role: body.role, before: invitation }, stampOf(caller, receivedAt));
      return table.transact<'again' | EarlierRequest>([...claim, ...writes]);
    });
    return { ...written(answer, outcome), distrust: { members: { org: org.id, principals: changed } } };
  },
});
