import type { OrganizationId, PrincipalId } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import type { Role } from '#shared/callers/roles.ts';
import { storeClaim } from '#shared/table/idempotency.ts';
import type { Table } from '#shared/table/table.ts';
import type { Uses } from '#shared/table/uses.ts';
import { OPERATOR, stampOf } from '../records/audit.ts';
import { Directory } from '../records/directory.ts';
import { DirectoryName } from '../records/directory-records.ts';
import { invitationWrites, MOST_INVITATIONS, readInvitations, withdrawalWrites } from '../records/invitations.ts';
import { memberNamed, readMember, readUsers, removeMember as remove, setMember } from '../records/members.ts';
import { lastAdmin, ownerOfPersonal, tooManyInvitations, userNotFound } from '../rules/sentences.ts';

/** The members of an organization and its open invitations (rules/organizations.md#members). */

export const PUT_MEMBER: Uses = { writes: ['MEMBER', 'INVITED', '@OFFER', 'AUDIT'], checks: ['MEMBER'] };
export const REMOVE_MEMBER: Uses = {
  writes: ['AUDIT'],
  removes: ['MEMBER', '@MEMBEROF', 'INVITED', '@OFFER'],
  checks: ['MEMBER'],
};

/** The member whose membership or role may have changed; undefined if only an invitation did. */
export interface MemberRemoved {
  member: PrincipalId | undefined;
}

export interface MemberPut extends MemberRemoved {
  /** Whether the user is invited now and was not before. */
  isNew: boolean;
}

/** Lists the members who are users, and the open invitations. @param now microseconds */
export async function listMembers({ table }: Pick<Stores, 'table'>, org: OrganizationId, now: Micros) {
  const [users, invitations] = await Promise.all([readUsers(table, org), readInvitations(table, org, now)]);
  return { users, invitations };
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
  if (!DirectoryName.safeParse(name).success) throw userNotFound();
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

/**
 * Ends the membership of a user, or withdraws an invitation.
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
  if (!DirectoryName.safeParse(name).success) throw userNotFound();
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

/**
 * Makes a user a member for the operator, without an invitation, or changes a member's role. The last admin of an
 * organization stays its admin.
 *
 * @returns the role that the user had before, or why there is no change
 */
export async function addMember(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  { organization, user: name, role }: { organization: string; user: string; role: Role },
): Promise<{ before: Role | undefined } | 'last admin' | 'unknown organization' | 'unknown user'> {
  const directory = new Directory(table);
  const [org, user] = await Promise.all([directory.organization(organization), directory.user(name)]);
  if (!org) return 'unknown organization';
  if (!user) return 'unknown user';
  return retrying(async () => {
    const before = await readMember(table, org.id, user.id);
    const known = { before: before?.role };
    if (before?.role === role) return known;
    const stamp = { at: clock.now(), actor: OPERATOR };
    const outcome = await setMember({ table, org: org.id, user, before, stamp }, role);
    return outcome === 'done' ? known : outcome;
  });
}

/**
 * Refuses a change of the owner of a personal organization, who has the organization's name and stays its admin
 * (rules/organizations.md#personal-and-shared).
 *
 * @throws ServiceError `invalid`
 */
export function refuseOwner({ org }: { org: Pick<Author['org'], 'kind' | 'name'> }, name: string): void {
  if (org.kind === 'personal' && name === org.name) throw ownerOfPersonal({ user: name, org: org.name });
}

/**
 * Reads the member of a name, with what a change of the membership needs, and the open invitation. Each attempt of a
 * transaction calls it again. Whether another organization knows the name changes neither the result nor the number of reads
 * (rules/organizations.md#invitations).
 */
async function knownOf(table: Table, { org, caller, receivedAt }: Omit<Author, 'claim'>, name: string) {
  const [found, invitations] = await Promise.all([
    memberNamed(table, org.id, name),
    readInvitations(table, org.id, receivedAt),
  ]);
  return {
    change: found && {
      table,
      org: org.id,
      user: found.user,
      before: found.member,
      stamp: stampOf(caller, receivedAt),
    },
    invitation: invitations.find((one) => one.name === name),
    invited: invitations.length,
  };
}
