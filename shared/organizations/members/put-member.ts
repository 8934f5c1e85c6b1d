import type { PrincipalId } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import type { Role } from '#shared/callers/roles.ts';
import { storeClaim } from '#shared/table/idempotency.ts';
import type { Uses } from '#shared/table/uses.ts';
import { stampOf } from '../records/audit.ts';
import { invitationWrites, MOST_INVITATIONS } from '../records/invitations.ts';
import { setMember } from '../records/members.ts';
import { lastAdmin, tooManyInvitations } from '../rules/sentences.ts';
import { knownOf, refuseOwner, refuseUnlessName } from './known-name.ts';

/** What inviting a user, or changing a role, writes. */
export const PUT_MEMBER: Uses = { writes: ['MEMBER', 'INVITED', '@OFFER', 'AUDIT'], checks: ['MEMBER'] };

export interface MemberPut {
  /** Whether the user is invited now and was not before. */
  isNew: boolean;
  /** The member whose role may have changed. */
  member: PrincipalId | undefined;
}

/**
 * Invites a user, or changes the role of a member or of an invitation (rules/organizations.md#invitations). If nothing
 * changes, nothing is written.
 *
 * @param name name of the user; whether there is such a user changes nothing
 * @throws ServiceError `not-found` for a name that no user can have, `invalid` for the last admin, for the owner of a
 *   personal organization, and for one invitation too many
 */
export async function putMember(
  { table }: Pick<Stores, 'table'>,
  by: Author<MemberPut>,
  name: string,
  role: Role,
): Promise<MemberPut> {
  const { org, caller, receivedAt } = by;
  refuseUnlessName(name);
  if (role !== 'admin') refuseOwner(by, name);
  return retrying(async () => {
    const { change, invitation, invited } = await knownOf(table, by, name);
    const put = { isNew: !change && !invitation, member: change?.user.id };
    const claim = by.claim(put);
    const write = async () => {
      if ((change?.before ?? invitation)?.role === role) return storeClaim(table, claim);
      if (change) return setMember({ ...change, claim }, role);
      if (!invitation && invited >= MOST_INVITATIONS) throw tooManyInvitations({ count: invited });
      const writes = invitationWrites(org, { name, role, before: invitation }, stampOf(caller, receivedAt));
      return table.transact<'again'>([...claim, ...writes]);
    };
    const outcome = await write();
    if (outcome === 'last admin') throw lastAdmin({ user: name, org: org.name });
    return outcome === 'again' ? outcome : put;
  });
}
