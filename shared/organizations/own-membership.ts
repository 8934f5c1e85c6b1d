import type { SignInClaims } from '#shared/callers/sign-in-claims.ts';
import { claimAlone } from '#shared/http/written.ts';
import { namedBy, ruleFor } from '#shared/organizations/rules/sign-in-rules.ts';
import type { EarlierRequest } from '#shared/table/idempotency.ts';
import type { Table, Write } from '#shared/table/table.ts';
import { type AuditStamp, auditWrite } from './records/audit.ts';
import { Directory } from './records/directory.ts';
import type { OrganizationRecord } from './records/directory-records.ts';
import { offerWrite, readInvitation } from './records/invitations.ts';
import { memberOfKey, offerKey } from './records/keys.ts';
import { type Member, removeMember, roleWrites } from './records/members.ts';
import { joinedItem } from './records/organizations-of-user.ts';

/** A user joins an organization, leaves it, or declines its offer (rules/sign-in.md#offers). */

/** The request of a user about the own membership. */
export interface OwnMembership {
  user: Member;
  org: OrganizationRecord;
  /** What the provider said, for the session of a sign-in. */
  claims: SignInClaims | undefined;
  stamp: AuditStamp;
  /** The idempotency claim of the request. */
  claim: Write<EarlierRequest>[];
}

type Outcome = 'done' | 'again' | 'no offer' | EarlierRequest;

/**
 * Makes a user a member by an invitation, or lets in a user whom a sign-in rule lets in. Changes nothing if the user has
 * joined already.
 *
 * @returns `no offer` if nothing lets the user in
 */
export async function joinOrganization(table: Table, request: OwnMembership): Promise<Outcome> {
  const { user, org, claims, stamp, claim } = request;
  const { member, joined, invitation } = await standingOf(table, request);
  const rule = ruleFor(org, claims);
  if (member || (joined && rule && !invitation)) return claimAlone(table, claim);
  const answered = [
    { remove: offerKey(user.name, 'rule', org.id) },
    { remove: offerKey(user.name, 'declined', org.id) },
  ];
  if (invitation) {
    const change = { org: org.id, user, before: undefined, stamp, accepted: invitation };
    return table.transact<'again' | EarlierRequest>([...claim, ...roleWrites(change, invitation.role), ...answered]);
  }
  if (!rule) return 'no offer';
  const { kind, name } = namedBy(rule);
  return table.transact<EarlierRequest>([
    ...claim,
    { put: joinedItem(user.id, org.id, stamp.at) },
    ...answered,
    auditWrite(org.id, stamp, {
      kind: 'sign_in.joined',
      subject: { type: 'user', ...user },
      after: { role: rule.role, [kind]: name },
    }),
  ]);
}

/**
 * Ends the membership of a user, or the access by a rule, and declines what the organization offers. Nothing but the end of a
 * membership or access is written in the records of the organization, so it does not learn who declined.
 *
 * @returns `no offer` as {@link joinOrganization}; `last admin` and `owner` if the membership has to stay
 */
export async function leaveOrganization(
  table: Table,
  request: OwnMembership,
): Promise<Outcome | 'last admin' | 'owner'> {
  const { user, org, claims, stamp, claim } = request;
  const { member, joined, invitation } = await standingOf(table, request);
  const writes = [...claim, offerWrite(user.name, 'declined', org)];
  if (member) {
    if (org.kind === 'personal' && org.name === user.name) return 'owner';
    return removeMember({ table, org: org.id, user, before: member, stamp, claim: writes });
  }
  if (joined) {
    const left = auditWrite(org.id, stamp, { kind: 'sign_in.left', subject: { type: 'user', ...user } });
    return table.transact([...writes, { remove: memberOfKey(user.id, org.id) }, left]);
  }
  return invitation || ruleFor(org, claims) ? table.transact(writes) : 'no offer';
}

async function standingOf(table: Table, { user, org, stamp }: OwnMembership) {
  const directory = new Directory(table);
  const [member, joined, invitation] = await Promise.all([
    directory.member(org.id, user.id),
    directory.joined(org.id, user.id),
    readInvitation(table, org.id, user.name, stamp.at),
  ]);
  return { member, joined, invitation };
}
