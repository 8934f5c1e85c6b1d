import { type OrganizationId, PrincipalId } from '#shared/base/ids.ts';
import { coverOf } from '#shared/base/proofs/covered-lines.ts';
import type { Cover } from '#shared/base/proofs/covers.ts';
import { again, retrying } from '#shared/base/retry.ts';
import type { Micros } from '#shared/base/time.ts';
import { lineOf } from '#shared/bodies/covered-lines.ts';
import type { Role } from '#shared/callers/roles.ts';
import { onlyIf, unchanged } from '#shared/table/expressions.ts';
import { putIfAbsent, readRecord, type Table, type Write } from '#shared/table/table.ts';
import type { AuditKind } from '../rules/audit-kinds.ts';
import { type AuditStamp, auditWrite } from './audit.ts';
import { MemberRecord, type Principal, SHOWN_MEMBER, UserRecord } from './directory-records.ts';
import { type Invitation, invitationRemoval } from './invitations.ts';
import { memberKey, memberList, memberOfKey, userKey } from './keys.ts';
import { memberOfItem } from './organizations-of-user.ts';

/**
 * The members of an organization (rules/organizations.md#members). Authentication reads the roles of users and of service
 * accounts here. `service-accounts.ts` writes the memberships of service accounts.
 */

/** The id of no principal. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/** The user of a membership. */
export type Member = Pick<Principal, 'id' | 'name'>;

export const readMember = (table: Table, org: OrganizationId, principal: PrincipalId) =>
  readRecord(table, memberKey(org, principal), MemberRecord);

/**
 * Finds a user by name, and the user's membership. A name that nobody has takes the same reads, so the time does not tell
 * whether somebody has it (rules/organizations.md#invitations).
 */
export async function memberNamed(
  table: Table,
  org: OrganizationId,
  name: string,
): Promise<{ user: Member; member: MemberRecord } | undefined> {
  const user = await readRecord(table, userKey(name), UserRecord);
  const member = await readMember(table, org, user?.id ?? PrincipalId.parse(NOBODY));
  return user && member && { user: { id: user.id, name }, member };
}

/** Reads the members who are users, without service accounts. */
export async function readUsers(table: Table, org: OrganizationId): Promise<MemberRecord[]> {
  const items = await table.query({ pk: memberList(org) });
  return items.map((item) => MemberRecord.parse(item)).filter(({ kind }) => kind === 'user');
}

/** A change of a membership, and what its transaction needs. */
interface MemberChange {
  table: Table;
  org: OrganizationId;
  user: Member;
  /** The membership as it was read; undefined if the user was no member. */
  before: MemberRecord | undefined;
  stamp: AuditStamp;
  /** The invitation that the user accepts. The change is refused with `again` if the invitation has changed. */
  accepted?: Invitation | undefined;
  /** Other writes of the transaction. The idempotency claim of the request comes first, because the first refused write decides the outcome. */
  claim?: readonly Write[];
}

/**
 * Makes a user a member, or gives a member another role.
 *
 * @returns `last admin` if no other user is admin (rules/organizations.md#last-admin); `again` if the membership has
 *   changed since it was read
 */
export async function setMember(change: MemberChange, role: Role): Promise<'done' | 'again' | 'last admin'> {
  const { table, org, user, before, stamp, claim = [] } = change;
  const remaining = before?.role === 'admin' && role !== 'admin' ? await otherAdmin(change) : [];
  if (remaining === 'last admin') return remaining;
  return table.transact<'again'>([...claim, ...remaining, ...roleWrites({ org, user, before, stamp }, role)]);
}

/** Ends a membership, with the same results as {@link setMember}. */
export async function removeMember(
  change: MemberChange & { before: MemberRecord },
): Promise<'done' | 'again' | 'last admin'> {
  const { table, before, claim = [] } = change;
  const remaining = before.role === 'admin' ? await otherAdmin(change) : [];
  if (remaining === 'last admin') return remaining;
  return table.transact<'again'>([...claim, ...removalWrites(change), ...remaining]);
}

/** Returns the writes that end a membership. They are refused with `again` if the membership has changed since it was read. */
export const removalWrites = (
  change: Omit<MemberChange, 'table' | 'claim'> & { before: MemberRecord },
): Write<'again'>[] => [
  { remove: memberKey(change.org, change.user.id), ...onlyIf(asRead(change.before)), refused: again },
  { remove: memberOfKey(change.user.id, change.org) },
  auditEntry(change, 'member.removed', undefined),
];

/** Gives a user a role without the check for the last admin. Only seeds, and commands that create an organization, use it. */
export async function giveRole(table: Table, org: OrganizationId, user: Member, role: Role, stamp: AuditStamp) {
  await retrying(async () => {
    const before = await readMember(table, org, user.id);
    return before?.role === role ? 'done' : table.transact(roleWrites({ org, user, before, stamp }, role));
  });
}

/**
 * Returns the writes that make a user a member, or give a member another role. They are refused with `again` if the
 * membership has changed since it was read. A new membership ends an invitation of the user.
 */
export function roleWrites(change: Omit<MemberChange, 'table' | 'claim'>, role: Role): Write<'again'>[] {
  const { org, user, before, stamp, accepted } = change;
  const member = recordOf(user, role, before?.addedAt ?? stamp.at);
  const put = { ...memberKey(org, user.id), ...member };
  return [
    ...(before
      ? [{ put, ...onlyIf(asRead(before)), refused: again }]
      : [putIfAbsent(put, again), { put: memberOfItem(user.id, org) }, ...invitationRemoval(org, user.name, accepted)]),
    auditEntry(change, before ? 'member.role_changed' : 'member.added', member),
  ];
}

const recordOf = ({ id, name }: Member, role: Role, addedAt: Micros): MemberRecord => ({
  v: 1,
  principal: id,
  kind: 'user',
  name,
  role,
  addedAt,
});

const asRead = (read: MemberRecord) => unchanged(read, 'role', 'addedAt');

/** What a change of a membership leaves behind (rules/organizations.md#covers). */
export function memberCover(before: MemberRecord | undefined, after: MemberRecord | undefined): Cover {
  const line = (one: MemberRecord | undefined) => one && lineOf(SHOWN_MEMBER, one);
  return coverOf('members/member', line(before), line(after));
}

/**
 * Returns the condition that another user stays admin (rules/organizations.md#last-admin). If two admins demote each other
 * at the same time, each transaction checks the other admin. DynamoDB serializes the two, so one of them fails. Service
 * accounts do not count, because their keys may be lost.
 */
async function otherAdmin({ table, org, user }: MemberChange): Promise<'last admin' | Write<'again'>[]> {
  const users = await readUsers(table, org);
  const other = users.find(({ principal, role }) => role === 'admin' && principal !== user.id);
  return other ? [{ check: memberKey(org, other.principal), ...onlyIf(asRead(other)), refused: again }] : 'last admin';
}

const auditEntry = (
  { org, user, before, stamp }: Omit<MemberChange, 'table' | 'claim'>,
  kind: AuditKind,
  after: MemberRecord | undefined,
): Write =>
  auditWrite(org, stamp, {
    kind,
    subject: { type: 'user', ...user },
    ...(before && { before: { role: before.role } }),
    ...(after && { after: { role: after.role } }),
    covers: [memberCover(before, after)],
  });
