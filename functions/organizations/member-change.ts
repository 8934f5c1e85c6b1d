import type { Request } from '#shared/http/endpoint.ts';
import { stampOf } from '#shared/organizations/records/audit.ts';
import { DirectoryName } from '#shared/organizations/records/directory-records.ts';
import { type Invitation, readInvitations } from '#shared/organizations/records/invitations.ts';
import { type MemberChange, memberNamed } from '#shared/organizations/records/members.ts';
import { ownerOfPersonal, userNotFound } from '#shared/organizations/rules/sentences.ts';
import type { EarlierRequest } from '#shared/table/idempotency.ts';
import type { Table } from '#shared/table/table.ts';

type MemberRequest = Pick<Request<{ user: string }>, 'org' | 'caller' | 'params' | 'receivedAt'>;

/** Returns the name of a user in a path. @throws ServiceError 404 for a text that no user can have as name */
export function nameOrRefuse(name: string): string {
  if (!DirectoryName.safeParse(name).success) throw userNotFound();
  return name;
}

/** What an organization knows of a name. */
interface Known {
  /** The member with this name, and what a change of the membership needs. */
  change?: MemberChange<EarlierRequest> & { before: NonNullable<MemberChange<EarlierRequest>['before']> };
  /** The open invitation of this name. */
  invitation: Invitation | undefined;
  /** How many invitations are open. */
  invited: number;
}

/**
 * Reads what an organization knows of a name. Each attempt of a transaction calls it again. Whether another organization
 * knows the name changes neither the result nor the number of reads (rules/organizations.md#invitations).
 */
export async function knownOf({ org, caller, params, receivedAt }: MemberRequest, table: Table): Promise<Known> {
  const [found, invitations] = await Promise.all([
    memberNamed(table, org.id, params.user),
    readInvitations(table, org.id, receivedAt),
  ]);
  const known = { invitation: invitations.find(({ name }) => name === params.user), invited: invitations.length };
  if (!found) return known;
  const { user, member: before } = found;
  return { ...known, change: { table, org: org.id, user, before, stamp: stampOf(caller, receivedAt) } };
}

/**
 * Refuses a change of the owner of a personal organization, who has the organization's name and stays its admin
 * (rules/organizations.md#personal-and-shared).
 *
 * @throws ServiceError 400
 */
export function refuseOwner({ org, params }: MemberRequest): void {
  if (org.kind === 'personal' && params.user === org.name) throw ownerOfPersonal({ user: params.user, org: org.name });
}
