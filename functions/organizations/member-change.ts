import type { Request } from '#shared/http/endpoint.ts';
import { stampOf } from '#shared/organizations/records/audit.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import type { UserRecord } from '#shared/organizations/records/directory-records.ts';
import { type MemberChange, readMember } from '#shared/organizations/records/members.ts';
import { ownerOfPersonal, userNotFound } from '#shared/organizations/rules/sentences.ts';
import type { EarlierRequest } from '#shared/table/idempotency.ts';
import type { Table } from '#shared/table/table.ts';

type Asked = Pick<Request<{ user: string }>, 'org' | 'caller' | 'params' | 'receivedAt'>;

/** @throws ApiError 404 */
export async function userOrRefuse(table: Table, name: string): Promise<UserRecord> {
  const user = await new Directory(table).user(name);
  if (!user) throw userNotFound();
  return user;
}

/** A membership as it is now, for a change of it. */
export async function memberChange(
  { org, caller, receivedAt }: Asked,
  table: Table,
  user: UserRecord,
): Promise<MemberChange<EarlierRequest>> {
  const before = await readMember(table, org.id, user.id);
  return { table, org: org.id, user, before, stamp: stampOf(caller, receivedAt) };
}

/** The owner of a personal organization, whose name it has, is its admin (semantics §12.1). @throws ApiError 400 */
export function refuseOwner({ org, params }: Asked): void {
  if (org.kind === 'personal' && params.user === org.name) throw ownerOfPersonal({ user: params.user, org: org.name });
}
