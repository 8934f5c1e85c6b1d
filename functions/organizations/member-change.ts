import type { Request } from '#shared/http/endpoint.ts';
import { stampOf } from '#shared/organizations/records/audit.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import type { UserRecord } from '#shared/organizations/records/directory-records.ts';
import { type MemberChange, readMember } from '#shared/organizations/records/members.ts';
import { ownerOfPersonal, userNotFound } from '#shared/organizations/rules/sentences.ts';
import type { EarlierRequest } from '#shared/table/idempotency.ts';
import type { Table } from '#shared/table/table.ts';

type MemberRequest = Pick<Request<{ user: string }>, 'org' | 'caller' | 'params' | 'receivedAt'>;

/** Finds a user by name. @throws ApiError 404 */
export async function userOrRefuse(table: Table, name: string): Promise<UserRecord> {
  const user = await new Directory(table).user(name);
  if (!user) throw userNotFound();
  return user;
}

/** Reads the current membership of a user for a change. Each attempt of the transaction calls it again. */
export async function memberChange(
  { org, caller, receivedAt }: MemberRequest,
  table: Table,
  user: UserRecord,
): Promise<MemberChange<EarlierRequest>> {
  const before = await readMember(table, org.id, user.id);
  return { table, org: org.id, user, before, stamp: stampOf(caller, receivedAt) };
}

/**
 * Refuses a change of the owner of a personal organization, who has the organization's name and stays its admin
 * (rules/organizations.md#personal-and-shared).
 *
 * @throws ApiError 400
 */
export function refuseOwner({ org, params }: MemberRequest): void {
  if (org.kind === 'personal' && params.user === org.name) throw ownerOfPersonal({ user: params.user, org: org.name });
}
