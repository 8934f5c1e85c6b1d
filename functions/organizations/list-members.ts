import * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { readUsers } from '#shared/organizations/records/members.ts';

const MemberOut = z
  .object({ id: z.string(), name: z.string(), role: z.string(), added_at: z.number() })
  .meta({ id: 'Member' });

/** GET /organizations/{org}/members: the users, sorted by name, without service accounts (rules/organizations.md#members). */
export const listMembers = endpoint({
  operation: 'listMembers',
  method: 'GET',
  path: '/organizations/{org}/members',
  summary: 'List the users of an organization with their roles',
  access: 'reader',
  params: z.object({ org: z.string() }),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: z.array(MemberOut) },
  errors: [],
  handler: async ({ org }, { table }) => {
    const users = await readUsers(table, org.id);
    const body = users
      .map(({ principal: id, name, role, addedAt }) => ({ id, name, role, added_at: toSeconds(addedAt) }))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
    return { status: 200, body };
  },
});
