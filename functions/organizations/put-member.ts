import * as z from 'zod';
import { retrying } from '#shared/base/retry.ts';
import { Role } from '#shared/base/roles.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { claimAlone, ok, written } from '#shared/http/written.ts';
import { setMember } from '#shared/organizations/records/members.ts';
import { lastAdmin, ownerOfPersonal, userNotFound } from '#shared/organizations/rules/sentences.ts';
import { claimWrites } from '#shared/table/idempotency.ts';
import { memberChange, refuseOwner, userOrRefuse } from './member-change.ts';

const MemberRequest = z.object({ role: Role }).meta({ id: 'MemberRequest' });

/** PUT /organizations/{org}/members/{user}: adds a member or changes the role (rules/organizations.md#members). */
export const putMember = endpoint({
  operation: 'putMember',
  method: 'PUT',
  path: '/organizations/{org}/members/{user}',
  summary: 'Make a user a member of an organization, or give a member another role',
  description: 'The last admin cannot be given another role.',
  access: 'admin',
  managesAccess: true,
  params: z.object({ org: z.string(), user: z.string() }),
  query: z.object({}),
  body: { kind: 'json', schema: MemberRequest },
  success: { 200: z.literal('OK'), 201: z.literal('OK') },
  errors: [userNotFound, lastAdmin, ownerOfPersonal],
  uses: { writes: ['MEMBER', '@MEMBEROF', 'AUDIT'], checks: ['MEMBER'] },
  handler: async (request, { table, clock }) => {
    const { org, params, body, idempotency } = request;
    const user = await userOrRefuse(table, params.user);
    if (body.role !== 'admin') refuseOwner(request);
    let answer = ok(200);
    const outcome = await retrying(async () => {
      const change = await memberChange(request, table, user);
      answer = ok(change.before ? 200 : 201);
      const claim = claimWrites(idempotency, answer, clock.now());
      if (change.before?.role === body.role) return claimAlone(table, claim);
      const outcome = await setMember({ ...change, claim }, body.role);
      if (outcome === 'last admin') throw lastAdmin({ user: user.name, org: org.name });
      return outcome;
    });
    const distrust = { members: { org: org.id, principals: [user.id] } };
    return { ...written(answer, outcome), distrust };
  },
});
