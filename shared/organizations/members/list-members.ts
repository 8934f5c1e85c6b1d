import type { OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { readInvitations } from '../records/invitations.ts';
import { readUsers } from '../records/members.ts';

/**
 * Lists the members who are users, and the open invitations (rules/organizations.md#members).
 *
 * @param now microseconds
 */
export async function listMembers({ table }: Pick<Stores, 'table'>, org: OrganizationId, now: Micros) {
  const [users, invitations] = await Promise.all([readUsers(table, org), readInvitations(table, org, now)]);
  return { users, invitations };
}
