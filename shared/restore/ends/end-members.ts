import * as z from 'zod';
import type { OrganizationId, PrincipalId } from '#shared/base/ids.ts';
import { again } from '#shared/base/retry.ts';
import { mayAs, Role } from '#shared/callers/roles.ts';
import { auditWrite } from '#shared/organizations/records/audit.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import type { MemberRecord } from '#shared/organizations/records/directory-records.ts';
import {
  type Invitation,
  invitationWrites,
  readInvitation,
  withdrawalWrites,
} from '#shared/organizations/records/invitations.ts';
import { memberOfKey } from '#shared/organizations/records/keys.ts';
import { readMember, readUsers, removalWrites, roleWrites } from '#shared/organizations/records/members.ts';
import { exists, onlyIf } from '#shared/table/expressions.ts';
import type { Table } from '#shared/table/table.ts';
import { bySubject, commit, type EndEntry, endOf, type Restoring, stampOfEntry } from '../context.ts';

/** The role of a person after the newest entries; null = none, undefined = the values of the entry were erased. */
type Standing = Role | null | undefined;

/** A user of the restored table. */
interface Person {
  id: PrincipalId;
  name: string;
  entries: readonly EndEntry[];
}

/** Ends memberships, access by a sign-in rule and invitations that ended after the instant, and lowers roles that were lowered. */
export async function endMembers(restoring: Restoring, entries: readonly EndEntry[]): Promise<void> {
  const { stores, org, report } = restoring;
  const ofUsers = entries.filter(({ subject }) => subject.type === 'user');
  for (const { name, own } of bySubject(ofUsers, ({ subject }) => subject.name)) {
    const user = await new Directory(stores.table).user(name);
    if (user) {
      await endMembership(restoring, { id: user.id, name, entries: own });
      await endJoining(restoring, { id: user.id, name, entries: own });
    }
    await endInvitation(restoring, name, own);
  }
  const [last] = entries.filter(({ kind }) => kind === 'member.removed' || kind === 'member.role_changed').slice(-1);
  if (last && !(await readUsers(stores.table, org.id)).some(({ role }) => role === 'admin')) {
    const reason = `The organization '${org.name}' has no admin. Give it one with add-member`;
    await report.leaveOpen({ ...endOf(restoring, last), name: org.name, id: org.id }, reason);
  }
}

const RoleAfter = z.object({ role: Role });

const standingIn = (entry: EndEntry | undefined, ended: readonly string[]): Standing => {
  if (!entry || ended.includes(entry.kind)) return null;
  return RoleAfter.safeParse(entry.after).data?.role;
};

const memberOf = (table: Table | undefined, org: OrganizationId, user: PrincipalId) =>
  table ? readMember(table, org, user) : undefined;

const isLower = (role: Role, than: Role): boolean => !mayAs(role, than);

async function endMembership(restoring: Restoring, person: Person): Promise<void> {
  const { stores, from, org, report } = restoring;
  const { table } = stores;
  const changes = person.entries.filter(({ kind }) => /^member\.(added|role_changed|removed)$/.test(kind));
  const entry = changes.at(-1);
  const present = entry && (await readMember(table, org.id, person.id));
  if (!entry || !present) return;
  // A record that the old table lost without an entry is no end.
  const role = (await memberOf(from, org.id, person.id))?.role ?? standingIn(entry, ['member.removed']);
  const end = endOf(restoring, entry);
  if (role === undefined) {
    return report.leaveOpen(end, 'The values of the entry were erased. Look at the role of the member');
  }
  if (role !== null && !isLower(role, present.role)) return;
  await report.apply(end, () =>
    commit(table, async () => {
      const before = await readMember(table, org.id, person.id);
      return before ? memberWrites(restoring, person, before, role, entry) : [];
    }),
  );
}

function memberWrites(
  { org }: Restoring,
  { id, name }: Person,
  before: MemberRecord,
  role: Role | null,
  entry: EndEntry,
) {
  const change = { org: org.id, user: { id, name }, before, stamp: stampOfEntry(entry) };
  return role === null ? removalWrites(change) : roleWrites(change, role);
}

/** Ends the access of a user who joined by a sign-in rule and left, or whose later membership ended. */
async function endJoining(restoring: Restoring, { id, name, entries }: Person): Promise<void> {
  const { stores, org, report } = restoring;
  const entry = entries.filter(({ kind }) => /^(sign_in\.(joined|left)|member\.(added|removed))$/.test(kind)).at(-1);
  if (entry?.kind !== 'sign_in.left' && entry?.kind !== 'member.removed') return;
  const joined = await new Directory(stores.table).joined(org.id, id);
  if (!joined) return;
  const change = { kind: 'sign_in.left', subject: { type: 'user', id, name } } as const;
  await report.apply({ ...endOf(restoring, entry), kind: change.kind }, () =>
    commit(stores.table, async () => [
      { remove: memberOfKey(id, org.id), ...onlyIf(exists()), refused: again },
      auditWrite(org.id, stampOfEntry(entry), change),
    ]),
  );
}

/** Withdraws an invitation that was withdrawn, or that was accepted before the membership ended; lowers its role likewise. */
async function endInvitation(restoring: Restoring, name: string, entries: readonly EndEntry[]): Promise<void> {
  const { stores, org, report } = restoring;
  const { table, clock } = stores;
  const entry = entries.filter(({ kind }) => kind.startsWith('member.')).at(-1);
  const invitation = entry && (await readInvitation(table, org.id, name, clock.now()));
  if (!entry || !invitation) return;
  const role = standingIn(entry, ['member.removed', 'member.invitation_withdrawn']) ?? null;
  if (role !== null && !isLower(role, invitation.role)) return;
  await report.apply(endOf(restoring, entry), () =>
    commit(table, async () => {
      const before = await readInvitation(table, org.id, name, clock.now());
      return before ? invitedWrites(restoring, before, role, entry) : [];
    }),
  );
}

function invitedWrites({ org }: Restoring, before: Invitation, role: Role | null, entry: EndEntry) {
  const stamp = stampOfEntry(entry);
  if (role === null) return withdrawalWrites(org.id, before, stamp);
  return invitationWrites({ id: org.id, name: org.name }, { name: before.name, role, before }, stamp);
}
