import * as z from 'zod';
import type { PrincipalId } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { ok, written } from '#shared/http/written.ts';
import { stampOf } from '#shared/organizations/records/audit.ts';
import { withdrawalWrites } from '#shared/organizations/records/invitations.ts';
import { removeMember as remove } from '#shared/organizations/records/members.ts';
import { lastAdmin, ownerOfPersonal, userNotFound } from '#shared/organizations/rules/sentences.ts';
import { claimWrites, type EarlierRequest } from '#shared/table/idempotency.ts';
import { knownOf, nameOrRefuse, refuseOwner } from './member-change.ts';

/** DELETE /organizations/{org}/members/{user}: 404 if the name is neither a member's nor invited (rules/organizations.md#members). */
export const removeMember = endpoint({
  operation: 'removeMember',
  method: 'DELETE',
  path: '/organizations/{org}/members/{user}',
  summary: 'End the membership of a user, or withdraw an invitation',
  description: 'The last admin cannot be removed.',
  access: 'admin',
  managesAccess: true,
  params: z.object({ org: z.string(), user: z.string() }),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: z.literal('OK') },
  errors: [userNotFound, lastAdmin, ownerOfPersonal],
  uses: { writes: ['AUDIT'], removes: ['MEMBER', '@MEMBEROF', 'INVITED', '@OFFER'], checks: ['MEMBER'] },
  handler: async (request, { table, clock }) => {
    const { org, params, caller, receivedAt, idempotency } = request;
    const name = nameOrRefuse(params.user);
    refuseOwner(request);
    const answer = ok(200);
    let removed: PrincipalId[] = [];
    const outcome = await retrying(async () => {
      const { change, invitation } = await knownOf(request, table);
      const claim = claimWrites(idempotency, answer, clock.now());
      if (change) {
        removed = [change.user.id];
        const outcome = await remove({ ...change, claim });
        if (outcome === 'last admin') throw lastAdmin({ user: name, org: org.name });
        return outcome;
      }
      if (!invitation) throw userNotFound();
      const writes = withdrawalWrites(org.id, invitation, stampOf(caller, receivedAt));
      return table.transact<'again' | EarlierRequest>([...claim, ...writes]);
    });
    return { ...written(answer, outcome), distrust: { members: { org: org.id, principals: removed } } };
  },
});
