import * as z from 'zod';
import { OrganizationId } from '#shared/base/ids.ts';
import type { SignInClaims } from '#shared/callers/sign-in-claims.ts';
import { ruleFor, type SignInRule } from '#shared/organizations/rules/sign-in-rules.ts';
import type { PartitionKey } from '#shared/table/items.ts';
import { keyText, type Table, type Write } from '#shared/table/table.ts';
import type { AuditStamp } from './audit.ts';
import { OrganizationRecord } from './directory-records.ts';
import { letInKey, letInList, organizationKey } from './keys.ts';
import { fieldWrites } from './organization-fields.ts';

/**
 * Sign-in rules (rules/sign-in.md#sign-in-rules). The record of the organization holds the rules, and authentication reads
 * them there. Each domain and each group also has a list of the organizations that name it, so that a sign-in finds these
 * organizations. The list only says where to look.
 */
const LetInRecord = z.object({ v: z.literal(1), org: OrganizationId, name: z.string() });

/** One sign-in looks at so many organizations per domain and per group. */
const MOST_ORGANIZATIONS = 100;

const listOf = (rule: SignInRule): PartitionKey =>
  'domain' in rule ? letInList('domain', rule.domain) : letInList('group', rule.group);

/**
 * Replaces the rules of an organization.
 *
 * @param claim the idempotency claim of the request; it comes first, because the first refused write decides the outcome
 * @returns `again` if the rules changed since the record was read
 */
export async function setSignInRules(
  table: Table,
  organization: OrganizationRecord,
  rules: readonly SignInRule[],
  stamp: AuditStamp,
  claim: readonly Write[],
): Promise<'done' | 'again'> {
  const { id, name, signInRules: before = [] } = organization;
  const [old, present] = [new Set(before.map(listOf)), new Set(rules.map(listOf))];
  return table.transact<'again'>([
    ...claim,
    ...fieldWrites(organization, 'signInRules', [...rules], stamp, {
      kind: 'organization.sign_in_rules_changed',
      before: { rules: before },
      after: { rules },
    }),
    ...[...present.difference(old)].map((list) => ({
      put: { ...letInKey(list, id), ...({ v: 1, org: id, name } satisfies z.input<typeof LetInRecord>) },
    })),
    ...[...old.difference(present)].map((list) => ({ remove: letInKey(list, id) })),
  ]);
}

/** An organization whose rules let a person in. */
export interface LettingOrganization {
  id: OrganizationId;
  name: string;
}

/**
 * Finds the organizations whose rules let a person in.
 *
 * @returns the organizations by name, and the groups that any rule names
 */
export async function organizationsLetting(
  table: Table,
  { domain, groups }: SignInClaims,
): Promise<{ organizations: LettingOrganization[]; groups: string[] }> {
  const lists = [
    ...(domain === undefined ? [] : [{ pk: letInList('domain', domain), group: undefined }]),
    ...groups.map((group) => ({ pk: letInList('group', group), group })),
  ];
  const found = await table.queryEach(lists.map(({ pk }) => ({ pk, limit: MOST_ORGANIZATIONS })));
  const names = new Set(found.flat().map((item) => LetInRecord.parse(item).name));
  const records = await table.getMany([...names].map(organizationKey));
  const organizations = [...names].flatMap((name) => {
    const item = records.get(keyText(organizationKey(name)));
    const record = item && OrganizationRecord.parse(item);
    return record && ruleFor(record, { domain, groups }) ? [{ id: record.id, name }] : [];
  });
  return {
    organizations: organizations.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    groups: lists.flatMap(({ group }, i) => (group !== undefined && found[i]?.length ? [group] : [])),
  };
}
