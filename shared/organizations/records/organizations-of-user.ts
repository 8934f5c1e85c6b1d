import type { OrganizationId, PrincipalId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Feature, Role } from '#shared/callers/roles.ts';
import type { SignInClaims } from '#shared/callers/sign-in-claims.ts';
import { type LettingIn, ruleFor } from '#shared/organizations/rules/sign-in-rules.ts';
import { change, exists } from '#shared/table/expressions.ts';
import { type Item, keyText, type Table } from '#shared/table/table.ts';
import {
  MemberOfRecord,
  MemberRecord,
  OrganizationListRecord,
  OrganizationRecord,
  type UserRecord,
} from './directory-records.ts';
import {
  memberKey,
  memberOfKey,
  memberOfList,
  organizationKey,
  organizationList,
  organizationListKey,
  userKey,
} from './keys.ts';

/**
 * The organizations of a user (rules/organizations.md#organizations-of-a-user). Members lie in the partition of their
 * organization, so each membership also has an entry in a list of the user. The entry only says where to look. Role and
 * features are read where authentication reads them.
 */

/** Most organizations that are shown of one user. */
export const MOST_ORGANIZATIONS = 100;
/** Organizations that one request looks through for a user of an earlier release. */
const LOOKED_THROUGH = 500;

export interface OrganizationOfUser extends LettingIn {
  id: OrganizationId;
  name: string;
  kind: 'personal' | 'shared';
  role: Role;
  features: readonly Feature[];
}

/**
 * Returns the entry of an organization in the list of the user.
 *
 * @param joinedAt when a user whom a sign-in rule lets in joined; absent for a membership
 */
export const memberOfItem = (user: PrincipalId, org: OrganizationId, joinedAt?: Micros): Item => ({
  ...memberOfKey(user, org),
  ...({ v: 1, org, ...(joinedAt !== undefined && { joinedAt }) } satisfies MemberOfRecord),
});

/** Returns whether an entry of the list is of a user who joined by a sign-in rule. */
export const hasJoined = (listed: Item): boolean => MemberOfRecord.parse(listed).joinedAt !== undefined;

/**
 * Reads the ids of the organizations in a user's list, the oldest organization first.
 *
 * @returns at most one more than {@link MOST_ORGANIZATIONS}
 */
export async function listedOrganizations(table: Table, user: PrincipalId): Promise<OrganizationId[]> {
  const items = await table.query({ pk: memberOfList(user), limit: MOST_ORGANIZATIONS + 1 });
  return items.map((item) => MemberOfRecord.parse(item).org);
}

/**
 * Reads role and features of a principal in some organizations. Leaves out organizations in which the principal has neither a
 * membership nor a role by a sign-in rule after joining.
 *
 * @param claims what the provider said, for the session of a sign-in
 * @returns the organizations by name
 */
export async function readOrganizations(
  table: Table,
  principal: PrincipalId,
  ids: readonly OrganizationId[],
  claims: SignInClaims | undefined,
): Promise<OrganizationOfUser[]> {
  const keysOf = (id: OrganizationId) => ({
    member: memberKey(id, principal),
    entry: organizationListKey(id),
    listed: memberOfKey(principal, id),
  });
  const found = await table.getMany(
    ids.map(keysOf).flatMap(({ member, entry, listed }) => [member, entry, ...(claims ? [listed] : [])]),
  );
  const present = ids.flatMap((id) => {
    const keys = keysOf(id);
    const [member, entry, listed] = [keys.member, keys.entry, keys.listed].map((key) => found.get(keyText(key)));
    if (!entry || !(member || (listed && hasJoined(listed)))) return [];
    return [{ id, role: member && MemberRecord.parse(member).role, name: OrganizationListRecord.parse(entry).name }];
  });
  const records = await table.getMany(present.map(({ name }) => organizationKey(name)));
  return present
    .flatMap(({ id, role: ofMember, name }) => {
      const item = records.get(keyText(organizationKey(name)));
      const record = item && OrganizationRecord.parse(item);
      const role = ofMember ?? (record && ruleFor(record, claims)?.role);
      return record?.id === id && role ? [{ ...record, role }] : [];
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/**
 * Completes the list of a user of an earlier release. One call looks through a bounded number of organizations, and the
 * next call continues there. New memberships are listed when they are written, so a call may run twice.
 */
export async function completeList(table: Table, { id, name, organizationsListed: upTo }: UserRecord): Promise<void> {
  if (upTo === 'all') return;
  const items = await table.query({ pk: organizationList, limit: LOOKED_THROUGH, ...(upTo && { from: upTo }) });
  const ids = items.map((item) => OrganizationListRecord.parse(item).id);
  const members = await table.getMany(ids.map((org) => memberKey(org, id)));
  await table.putMany(
    ids.filter((org) => members.has(keyText(memberKey(org, id)))).map((org) => memberOfItem(id, org)),
  );
  const last = ids.at(-1);
  const organizationsListed = ids.length < LOOKED_THROUGH || last === undefined ? 'all' : last;
  await table.update(userKey(name), change({ set: { organizationsListed } }, exists()));
}
