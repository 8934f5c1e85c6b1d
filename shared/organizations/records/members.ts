import type { OrganizationId, PrincipalId } from '#shared/base/ids.ts';
import { again, retrying } from '#shared/base/retry.ts';
import type { Role } from '#shared/base/roles.ts';
import { putIfAbsent, type Table, type Write } from '#shared/table/table.ts';
import { type AuditKind, type AuditStamp, auditWrite } from './audit.ts';
import { MemberRecord, type Principal } from './directory-records.ts';
import { memberKey, memberList } from './keys.ts';

/**
 * The members of an organization. Users and service accounts have their role here, where authentication looks for it;
 * service accounts come and go with their own records (`service-accounts.ts`).
 */

/** The user that a membership is about. */
export type Member = Pick<Principal, 'id' | 'name'>;

export async function readMember(
  table: Table,
  org: OrganizationId,
  principal: PrincipalId,
): Promise<MemberRecord | undefined> {
  const item = await table.get(memberKey(org, principal));
  return item && MemberRecord.parse(item);
}

/** The users who are members, without service accounts. */
export async function readUsers(table: Table, org: OrganizationId): Promise<MemberRecord[]> {
  const items = await table.query({ pk: memberList(org) });
  return items.map((item) => MemberRecord.parse(item)).filter(({ kind }) => kind === 'user');
}

/** What becomes of a membership, with what the transaction of the change holds beside it. */
export interface MemberChange<C> {
  table: Table;
  org: OrganizationId;
  user: Member;
  /** The membership that was read; undefined where there was none. */
  before: MemberRecord | undefined;
  stamp: AuditStamp;
  /** The request's idempotency claim; refused first, so that its outcome is the one that counts. */
  claim?: readonly Write<C>[];
}

/**
 * Makes a user a member, or gives a member another role.
 * @returns `last admin` where nobody else could run the organization; `again` where the membership changed meanwhile
 */
export async function setMember<C = never>(
  change: MemberChange<C>,
  role: Role,
): Promise<'done' | 'again' | 'last admin' | C> {
  const { table, org, user, before, stamp, claim = [] } = change;
  const remaining = before?.role === 'admin' && role !== 'admin' ? await otherAdmin(change) : [];
  if (remaining === 'last admin') return remaining;
  const record = recordOf(user, role, before?.addedAt ?? stamp.at);
  const put = { ...memberKey(org, user.id), ...record };
  return table.transact<'again' | C>([
    ...claim,
    before ? { put, ...unchanged(before), refused: again } : putIfAbsent(put, again),
    ...remaining,
    audited(change, before ? 'member.role_changed' : 'member.added', { role }),
  ]);
}

/** Ends a membership; otherwise as {@link setMember}. */
export async function removeMember<C>(
  change: MemberChange<C> & { before: MemberRecord },
): Promise<'done' | 'again' | 'last admin' | C> {
  const { table, org, user, before, claim = [] } = change;
  const remaining = before.role === 'admin' ? await otherAdmin(change) : [];
  if (remaining === 'last admin') return remaining;
  return table.transact<'again' | C>([
    ...claim,
    { remove: memberKey(org, user.id), ...unchanged(before), refused: again },
    ...remaining,
    audited(change, 'member.removed', undefined),
  ]);
}

/**
 * The same for whoever is above the organization's rules: seeds may leave it without an admin.
 * @returns the role that the user had before
 */
export async function giveRole(
  table: Table,
  org: OrganizationId,
  user: Member,
  role: Role,
  stamp: AuditStamp,
): Promise<Role | undefined> {
  const { was } = await retrying(async () => {
    const before = await readMember(table, org, user.id);
    if (before?.role === role) return { was: role };
    const put = { ...memberKey(org, user.id), ...recordOf(user, role, before?.addedAt ?? stamp.at) };
    const change = { table, org, user, before, stamp };
    const outcome = await table.transact([
      before ? { put, ...unchanged(before), refused: again } : putIfAbsent(put, again),
      audited(change, before ? 'member.role_changed' : 'member.added', { role }),
    ]);
    return outcome === 'done' ? { was: before?.role } : outcome;
  });
  return was;
}

const recordOf = ({ id, name }: Member, role: Role, addedAt: number): MemberRecord => ({
  ...{ v: 1, principal: id, kind: 'user', name, role, addedAt },
});

const unchanged = ({ role }: MemberRecord) => ({
  ConditionExpression: '#role = :before',
  ExpressionAttributeNames: { '#role': 'role' },
  ExpressionAttributeValues: { ':before': role },
});

/**
 * The condition that some other user stays admin. Two admins who demote each other at the same time each name the other:
 * transactions are serial, so that one of the two finds its condition broken. Service accounts do not count, since their
 * keys may be lost.
 */
async function otherAdmin({ table, org, user }: MemberChange<unknown>): Promise<'last admin' | Write<'again'>[]> {
  const users = await readUsers(table, org);
  const other = users.find(({ principal, role }) => role === 'admin' && principal !== user.id);
  return other ? [{ check: memberKey(org, other.principal), ...unchanged(other), refused: again }] : 'last admin';
}

const audited = (
  { org, user, before, stamp }: MemberChange<unknown>,
  kind: AuditKind,
  after: { role: Role } | undefined,
): Write =>
  auditWrite(org, stamp, {
    kind,
    subject: { type: 'user', ...user },
    ...(before && { before: { role: before.role } }),
    ...(after && { after }),
  });
