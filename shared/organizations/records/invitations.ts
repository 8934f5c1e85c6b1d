import * as z from 'zod';
import { OrganizationId } from '#shared/base/ids.ts';
import { again } from '#shared/base/retry.ts';
import { type Duration, type Micros, plus } from '#shared/base/time.ts';
import { Role } from '#shared/callers/roles.ts';
import { absent, atMost, either, onlyIf, unchanged } from '#shared/table/expressions.ts';
import { readRecord, type Table, type Write } from '#shared/table/table.ts';
import { type AuditStamp, auditWrite } from './audit.ts';
import { invitationKey, invitationList, offerKey, offerList } from './keys.ts';

/**
 * Invitations of an organization, and what a user was offered (rules/organizations.md#invitations,
 * rules/sign-in.md#offers). An invitation is two items: for the organization, and for the user by name. Both are written
 * whether or not there is such a user.
 */

/** How long an invitation lasts. */
const LASTS: Duration = 30 * 24 * 3600 * 1_000_000;
/** The most open invitations of one organization, and the most items that are read of what a user was offered. */
export const MOST_INVITATIONS = 100;
const MOST_OFFERS = 100;

const Invitation = z.object({
  v: z.literal(1),
  /** Name of the user. */
  name: z.string(),
  role: Role,
  invitedAt: z.int().brand<'Micros'>(),
  expiresAt: z.int().brand<'Micros'>(),
});
export type Invitation = z.infer<typeof Invitation>;

const OfferRecord = z.object({
  v: z.literal(1),
  /** `rule`: a sign-in found that a rule lets the user in. `declined`: the user does not want to join now. */
  kind: z.enum(['invitation', 'rule', 'declined']),
  org: OrganizationId,
  /** Name of the organization. */
  name: z.string(),
  /** Role and end of an invitation. */
  role: Role.optional(),
  expiresAt: z.int().brand<'Micros'>().optional(),
});
export type OfferRecord = z.infer<typeof OfferRecord>;

interface Org {
  id: OrganizationId;
  name: string;
}

/** Reads the open invitations of an organization, by the names of the users. */
export async function readInvitations(table: Table, org: OrganizationId, now: Micros): Promise<Invitation[]> {
  const items = await table.query({ pk: invitationList(org) });
  return items.map((item) => Invitation.parse(item)).filter(({ expiresAt }) => expiresAt > now);
}

export async function readInvitation(
  table: Table,
  org: OrganizationId,
  user: string,
  now: Micros,
): Promise<Invitation | undefined> {
  const invitation = await readRecord(table, invitationKey(org, user), Invitation);
  return invitation && invitation.expiresAt > now ? invitation : undefined;
}

/** Reads what a user was offered. Some of it can be out of date. */
export async function readOfferItems(table: Table, user: string): Promise<OfferRecord[]> {
  return (await table.query({ pk: offerList(user), limit: MOST_OFFERS })).map((item) => OfferRecord.parse(item));
}

/** Returns the write of an offer or of its refusal. It may be written again. */
export const offerWrite = (user: string, kind: 'rule' | 'declined', { id, name }: Org): Write => ({
  put: { ...offerKey(user, kind, id), ...({ v: 1, kind, org: id, name } satisfies OfferRecord) },
});

/**
 * Returns the writes that invite a user, or give an invitation another role. They are refused with `again` if the invitation
 * has changed since it was read.
 */
export function invitationWrites(
  org: Org,
  { name, role, before }: { name: string; role: Role; before: Invitation | undefined },
  stamp: AuditStamp,
): Write<'again'>[] {
  const expiresAt = plus(stamp.at, LASTS);
  const ttl = Math.ceil(expiresAt / 1e6);
  const invitation: Invitation = { v: 1, name, role, invitedAt: stamp.at, expiresAt };
  const offer: OfferRecord = { v: 1, kind: 'invitation', org: org.id, name: org.name, role, expiresAt };
  return [
    {
      put: { ...invitationKey(org.id, name), ...invitation, ttl },
      ...onlyIf(before ? asRead(before) : either(absent(), atMost({ expiresAt: stamp.at }))),
      refused: again,
    },
    { put: { ...offerKey(name, 'invitation', org.id), ...offer, ttl } },
    auditWrite(org.id, stamp, {
      kind: 'member.invited',
      subject: { type: 'user', name },
      ...(before && { before: { role: before.role } }),
      after: { role },
    }),
  ];
}

/** Returns the writes that take an invitation back. They are refused with `again` if it has changed since it was read. */
export const withdrawalWrites = (org: OrganizationId, before: Invitation, stamp: AuditStamp): Write<'again'>[] => [
  ...invitationRemoval(org, before.name, before),
  auditWrite(org, stamp, {
    kind: 'member.invitation_withdrawn',
    subject: { type: 'user', name: before.name },
    before: { role: before.role },
  }),
];

/**
 * Returns the writes that remove an invitation, if there is one.
 *
 * @param before the invitation as it was read; with it, the writes are refused with `again` if it has changed
 */
export const invitationRemoval = (
  org: OrganizationId,
  user: string,
  before: Invitation | undefined,
): Write<'again'>[] => [
  { remove: invitationKey(org, user), ...(before && { ...onlyIf(asRead(before)), refused: again }) },
  { remove: offerKey(user, 'invitation', org) },
];

const asRead = (read: Invitation) => unchanged(read, 'role', 'invitedAt');
