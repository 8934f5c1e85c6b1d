import * as z from 'zod';
import { type Micros, toSeconds } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { listMembers as list } from '#shared/organizations/members/change-members.ts';

const MemberOut = z
  .object({
    id: z.string().nullable().meta({ description: 'Id of the user; null for a name that is invited' }),
    name: z.string().describe('Name of the user or service account'),
    role: z.string().describe('Role in the organization'),
    added_at: z.number().meta({ description: 'When the user became a member or was invited, in seconds' }),
    is_invited: z.boolean().meta({ description: 'Whether the name is invited and is no member' }),
  })
  .meta({ id: 'Member' });

/**
 * GET /organizations/{org}/members: the users and the invited names, sorted by name, without service accounts
 * (rules/organizations.md#members).
 */
export const listMembers = endpoint({
  operation: 'listMembers',
  method: 'GET',
  path: '/organizations/{org}/members',
  summary: 'List the users of an organization with their roles, and the names that are invited',
  access: 'reader',
  success: { 200: z.array(MemberOut) },
  handler: async ({ org, receivedAt }, stores: Pick<Stores, 'table'>) => {
    const { users, invitations } = await list(stores, org.id, receivedAt);
    const body = [
      ...users.map((user) => memberOut(user.principal, user, user.addedAt)),
      ...invitations.map((invitation) => memberOut(null, invitation, invitation.invitedAt)),
    ].toSorted((one, other) => (one.name < other.name ? -1 : 1));
    return { status: 200, body };
  },
});

const memberOut = (id: string | null, { name, role }: { name: string; role: string }, at: Micros) => ({
  id,
  name,
  role,
  added_at: toSeconds(at),
  is_invited: id === null,
});
