import type { Micros } from '#shared/base/time.ts';
import type { Role } from '#shared/callers/roles.ts';
import type { SignInClaims } from '#shared/callers/sign-in-claims.ts';
import { type Key, keyText, type Table } from '#shared/table/table.ts';
import { OrganizationRecord } from '../records/directory-records.ts';
import { type OfferRecord, readOfferItems } from '../records/invitations.ts';
import { memberKey, memberOfKey, organizationKey } from '../records/keys.ts';
import type { Member } from '../records/members.ts';
import { hasJoined } from '../records/organizations-of-user.ts';
import { ruleFor, type SignInRule } from '../rules/sign-in-rules.ts';

/**
 * Organizations that a user may join: by an invitation, or by a sign-in rule (rules/sign-in.md#offers). Until the user joins,
 * the records of the organization say nothing about the user.
 */
export interface Offer {
  /** Name of the organization. */
  organization: string;
  role: Role;
  /** The rule that lets the user in; absent for an invitation. */
  rule?: SignInRule;
  /** Whether the user answered «not now». */
  declined: boolean;
}

/** The user's side of an offer: what the provider said in the session of a sign-in, and the time in microseconds. */
interface Moment {
  claims: SignInClaims | undefined;
  now: Micros;
}

/** Reads what a user may join, by the names of the organizations: one AWS call, and a second one if anything was offered. */
export async function readOffers(table: Table, user: Member, moment: Moment): Promise<Offer[]> {
  const items = await readOfferItems(table, user.name);
  const organizations = [...new Map(items.map(({ org, name }) => [org, name]))].map(([org, name]) => ({
    keys: [organizationKey(name), memberKey(org, user.id), memberOfKey(user.id, org)] satisfies Key[],
    items: items.filter((item) => item.org === org),
  }));
  const found = await table.getMany(organizations.flatMap(({ keys }) => keys));
  return organizations
    .flatMap(({ keys, items }) => {
      const [organization, member, listed] = keys.map((key) => found.get(keyText(key)));
      if (!organization || member) return [];
      return offerOf(OrganizationRecord.parse(organization), items, {
        isIn: listed !== undefined && hasJoined(listed),
        ...moment,
      });
    })
    .toSorted((one, other) => (one.organization < other.organization ? -1 : 1));
}

/** An invitation comes before a rule, because a membership wins over rules. */
function offerOf(
  organization: OrganizationRecord,
  items: readonly OfferRecord[],
  { isIn, claims, now }: Moment & { isIn: boolean },
): Offer[] {
  const declined = items.some(({ kind }) => kind === 'declined');
  const invitation = items.find(({ kind, expiresAt = 0 }) => kind === 'invitation' && expiresAt > now);
  if (invitation?.role) return [{ organization: organization.name, role: invitation.role, declined }];
  const rule = ruleFor(organization, claims);
  return rule && !isIn ? [{ organization: organization.name, role: rule.role, rule, declined }] : [];
}
