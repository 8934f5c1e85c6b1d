import type { Author } from '#shared/callers/author.ts';
import type { Table } from '#shared/table/table.ts';
import { stampOf } from '../records/audit.ts';
import { DirectoryName } from '../records/directory-records.ts';
import { type Invitation, readInvitations } from '../records/invitations.ts';
import { type MemberChange, memberNamed } from '../records/members.ts';
import { ownerOfPersonal, userNotFound } from '../rules/sentences.ts';

/** @throws ServiceError `not-found` for a text that no user can have as name */
export function refuseUnlessName(name: string): void {
  if (!DirectoryName.safeParse(name).success) throw userNotFound();
}

/** What an organization knows of a name. */
interface Known {
  /** The member with this name, and what a change of the membership needs. */
  change?: MemberChange & { before: NonNullable<MemberChange['before']> };
  /** The open invitation of this name. */
  invitation: Invitation | undefined;
  /** How many invitations are open. */
  invited: number;
}

/**
 * Reads what an organization knows of a name. Each attempt of a transaction calls it again. Whether another organization
 * knows the name changes neither the result nor the number of reads (rules/organizations.md#invitations).
 */
export async function knownOf(
  table: Table,
  { org, caller, receivedAt }: Omit<Author, 'claim'>,
  name: string,
): Promise<Known> {
  const [found, invitations] = await Promise.all([
    memberNamed(table, org.id, name),
    readInvitations(table, org.id, receivedAt),
  ]);
  const known = { invitation: invitations.find((one) => one.name === name), invited: invitations.length };
  if (!found) return known;
  const { user, member: before } = found;
  return { ...known, change: { table, org: org.id, user, before, stamp: stampOf(caller, receivedAt) } };
}

/**
 * Refuses a change of the owner of a personal organization, who has the organization's name and stays its admin
 * (rules/organizations.md#personal-and-shared).
 *
 * @throws ServiceError `invalid`
 */
export function refuseOwner({ org }: Pick<Author, 'org'>, name: string): void {
  if (org.kind === 'personal' && name === org.name) throw ownerOfPersonal({ user: name, org: org.name });
}
