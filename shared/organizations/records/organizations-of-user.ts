import type { OrganizationId, PrincipalId } from '#shared/base/ids.ts';
import type { Feature, Role } from '#shared/base/roles.ts';
import { roleByRules, type SignInClaims, type SignInRule } from '#shared/base/sign-in-rules.ts';
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

export interface OrganizationOfUser {
  id: OrganizationId;
  name: string;
  kind: 'personal' | 'shared';
  role: Role;
  features: readonly Feature[];
  signInRules: readonly SignInRule[];
}

/** Returns the entry of a membership in the list of the user. */
export const memberOfItem = (user: PrincipalId, org: OrganizationId): Item => ({
  ...memberOfKey(user, org),
  ...({ v: 1, org } satisfies MemberOfRecord),
});

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
 * membership nor a role by the sign-in rules.
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
  const found = await table.getMany(ids.flatMap((id) => [memberKey(id, principal), organizationListKey(id)]));
  const listed = ids.flatMap((id) => {
    const [member, entry] = [memberKey(id, principal), organizationListKey(id)].map((key) => found.get(keyText(key)));
    if (!entry || (!member && !claims)) return [];
    return [{ id, role: member && MemberRecord.parse(member).role, name: OrganizationListRecord.parse(entry).name }];
  });
  const records = await table.getMany(listed.map(({ name }) => organizationKey(name)));
  return listed
    .flatMap(({ id, role: ofMember, name }) => {
      const item = records.get(keyText(organizationKey(name)));
      const record = item && OrganizationRecord.parse(item);
      const role = ofMember ?? roleByRules(record?.signInRules, claims);
      return record?.id === id && role ? [{ ...record, signInRules: record.signInRules ?? [], role }] : [];
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
  await table.update(userKey(name), {
    UpdateExpression: 'SET organizationsListed = :upTo',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':upTo': ids.length < LOOKED_THROUGH || last === undefined ? 'all' : last },
  });
}
