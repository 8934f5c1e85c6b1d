import type { OrganizationId } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import { changesSuspended } from '#shared/base/sentences.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { CallingUser, OwnCall } from '#shared/callers/caller.ts';
import type { SignInClaims } from '#shared/callers/sign-in-claims.ts';
import type { Table } from '#shared/table/table.ts';
import type { Uses } from '#shared/table/uses.ts';
import { type AuditStamp, auditWrite, stampOf } from '../records/audit.ts';
import { Directory } from '../records/directory.ts';
import type { OrganizationRecord } from '../records/directory-records.ts';
import { offerWrite, readInvitation } from '../records/invitations.ts';
import { memberOfKey, offerKey } from '../records/keys.ts';
import { type Member, removeMember, roleWrites } from '../records/members.ts';
import { memberOfItem } from '../records/organizations-of-user.ts';
import { lastAdmin, offerNotFound } from '../rules/sentences.ts';
import { namedBy, ruleFor } from '../rules/sign-in-rules.ts';
import { refuseOwner } from './change-members.ts';

/** A user joins an organization, leaves it, or declines its offer (rules/sign-in.md#offers). */

export const JOIN_ORGANIZATION: Uses = { writes: ['MEMBER', '@MEMBEROF', 'AUDIT'], removes: ['INVITED', '@OFFER'] };
export const LEAVE_ORGANIZATION: Uses = {
  writes: ['@OFFER', 'AUDIT'],
  removes: ['MEMBER', '@MEMBEROF'],
  checks: ['MEMBER'],
};

/** The change of a membership, once the organization is found. */
interface Change {
  user: Member;
  org: OrganizationRecord;
  /** What the provider said, for the session of a sign-in. */
  claims: SignInClaims | undefined;
  stamp: AuditStamp;
}

/**
 * Makes a user a member by an invitation, or lets in a user whom a sign-in rule lets in. Changes nothing if the user has
 * joined already.
 *
 * @throws ServiceError `not-found` if nothing lets the user in, with the same sentence for an unknown organization; `refused` if the
 *   organization is suspended
 */
export const joinOrganization = (
  { table }: Pick<Stores, 'table'>,
  by: OwnCall<CallingUser>,
  name: string,
): Promise<OrganizationId> => changeOwn(table, by, name, join);

/**
 * Ends the membership of a user, or the access by a rule, and declines what the organization offers. Nothing but the end of a
 * membership or access is written in the records of the organization, so it does not learn who declined.
 *
 * @throws ServiceError `not-found` as {@link joinOrganization}, `invalid` for the last admin and for the owner of a
 *   personal organization
 */
export const leaveOrganization = (
  { table }: Pick<Stores, 'table'>,
  by: OwnCall<CallingUser>,
  name: string,
): Promise<OrganizationId> => changeOwn(table, by, name, leave);

async function changeOwn(
  table: Table,
  { caller, credential, receivedAt }: OwnCall<CallingUser>,
  name: string,
  attempt: (table: Table, change: Change) => Promise<'done' | 'again'>,
): Promise<OrganizationId> {
  const org = await new Directory(table).organization(name);
  if (!org) throw offerNotFound();
  const user = { id: caller.id, name: caller.name };
  const change = { user, org, claims: credential.claims, stamp: stampOf(caller, receivedAt) };
  await retrying(() => attempt(table, change));
  return org.id;
}

async function join(table: Table, change: Change): Promise<'done' | 'again'> {
  const { user, org, claims, stamp } = change;
  const { member, joined, invitation } = await standingOf(table, change);
  const rule = ruleFor(org, claims);
  if (member || (joined && rule && !invitation)) return 'done';
  if (org.suspension && (invitation || rule)) {
    throw changesSuspended({ org: org.name, reason: org.suspension.reason });
  }
  const answered = (['rule', 'declined'] as const).map((kind) => ({ remove: offerKey(user.name, kind, org.id) }));
  if (invitation) {
    const accepted = { org: org.id, user, before: undefined, stamp, accepted: invitation };
    return table.transact<'again'>([...roleWrites(accepted, invitation.role), ...answered]);
  }
  if (!rule) throw offerNotFound();
  const { kind, name } = namedBy(rule);
  return table.transact([
    { put: memberOfItem(user.id, org.id, stamp.at) },
    ...answered,
    auditWrite(org.id, stamp, {
      kind: 'sign_in.joined',
      subject: { type: 'user', ...user },
      after: { role: rule.role, [kind]: name },
    }),
  ]);
}

async function leave(table: Table, change: Change): Promise<'done' | 'again'> {
  const { user, org, claims, stamp } = change;
  const { member, joined, invitation } = await standingOf(table, change);
  const declined = offerWrite(user.name, 'declined', org);
  if (member) {
    refuseOwner({ org }, user.name);
    const outcome = await removeMember({ table, org: org.id, user, before: member, stamp, claim: [declined] });
    if (outcome === 'last admin') throw lastAdmin({ user: user.name, org: org.name });
    return outcome;
  }
  if (joined) {
    const left = auditWrite(org.id, stamp, { kind: 'sign_in.left', subject: { type: 'user', ...user } });
    return table.transact([declined, { remove: memberOfKey(user.id, org.id) }, left]);
  }
  if (!invitation && !ruleFor(org, claims)) throw offerNotFound();
  return table.transact([declined]);
}

async function standingOf(table: Table, { user, org, stamp }: Change) {
  const directory = new Directory(table);
  const [member, joined, invitation] = await Promise.all([
    directory.member(org.id, user.id),
    directory.joined(org.id, user.id),
    readInvitation(table, org.id, user.name, stamp.at),
  ]);
  return { member, joined, invitation };
}
