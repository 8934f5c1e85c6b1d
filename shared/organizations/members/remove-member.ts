import type { PrincipalId } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import type { Uses } from '#shared/table/uses.ts';
import { stampOf } from '../records/audit.ts';
import { withdrawalWrites } from '../records/invitations.ts';
import { removeMember as remove } from '../records/members.ts';
import { lastAdmin, userNotFound } from '../rules/sentences.ts';
import { knownOf, refuseOwner, refuseUnlessName } from './known-name.ts';

/** What ending a membership, or withdrawing an invitation, writes. */
export const REMOVE_MEMBER: Uses = {
  writes: ['AUDIT'],
  removes: ['MEMBER', '@MEMBEROF', 'INVITED', '@OFFER'],
  checks: ['MEMBER'],
};

/** The member whose membership ended; undefined for an invitation. */
export interface MemberRemoved {
  member: PrincipalId | undefined;
}

/**
 * Ends the membership of a user, or withdraws an invitation (rules/organizations.md#members).
 *
 * @throws ServiceError `not-found` if the name is neither a member's nor invited, `invalid` for the last admin and for the
 *   owner of a personal organization
 */
export async function removeMember(
  { table }: Pick<Stores, 'table'>,
  by: Author<MemberRemoved>,
  name: string,
): Promise<MemberRemoved> {
  const { org, caller, receivedAt } = by;
  refuseUnlessName(name);
  refuseOwner(by, name);
  return retrying(async () => {
    const { change, invitation } = await knownOf(table, by, name);
    const removed = { member: change?.user.id };
    const claim = by.claim(removed);
    if (change) {
      const outcome = await remove({ ...change, claim });
      if (outcome === 'last admin') throw lastAdmin({ user: name, org: org.name });
      return outcome === 'again' ? outcome : removed;
    }
    if (!invitation) throw userNotFound();
    const writes = withdrawalWrites(org.id, invitation, stampOf(caller, receivedAt));
    return (await table.transact<'again'>([...claim, ...writes])) === 'again' ? 'again' : removed;
  });
}
