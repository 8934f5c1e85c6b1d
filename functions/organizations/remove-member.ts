import * as z from 'zod';
import { retrying } from '#shared/base/retry.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { ok, written } from '#shared/http/written.ts';
import { removeMember as remove } from '#shared/organizations/records/members.ts';
import { lastAdmin, ownerOfPersonal, userNotFound } from '#shared/organizations/rules/sentences.ts';
import { claimWrites } from '#shared/table/idempotency.ts';
import { memberChange, refuseOwner, userOrRefuse } from './member-change.ts';

/** DELETE /organizations/{org}/members/{user}: 404 if the user is no member (rules/organizations.md#members). */
export const removeMember = endpoint({
  operation: 'removeMember',
  method: 'DELETE',
  path: '/organizations/{org}/members/{user}',
  summary: 'End the membership of a user',
  description: 'The last admin cannot be removed.',
  access: 'admin',
  managesAccess: true,
  params: z.object({ org: z.string(), user: z.string() }),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: z.literal('OK') },
  errors: [userNotFound, lastAdmin, ownerOfPersonal],
  uses: { writes: ['AUDIT'], removes: ['MEMBER', '@MEMBEROF'], checks: ['MEMBER'] },
  handler: async (request, { table, clock }) => {
    const { org, params, idempotency } = request;
    const user = await userOrRefuse(table, params.user);
    refuseOwner(request);
    const answer = ok(200);
    const outcome = await retrying(async () => {
      const { before, ...change } = await memberChange(request, table, user);
      if (!before) throw userNotFound();
      const claim = claimWrites(idempotency, answer, clock.now());
      const outcome = await remove({ ...change, before, claim });
      if (outcome === 'last admin') throw lastAdmin({ user: user.name, org: org.name });
      return outcome;
    });
    const distrust = { members: { org: org.id, principals: [user.id] } };
    return { ...written(answer, outcome), distrust };
  },
});
