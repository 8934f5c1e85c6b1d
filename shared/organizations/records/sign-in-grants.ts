import * as z from 'zod';
import { again } from '#shared/base/retry.ts';
import { grantsOf, type SignInGrants } from '#shared/organizations/rules/sign-in-rules.ts';
import { absent, equal, onlyIf } from '#shared/table/expressions.ts';
import { type Key, keyText, type Table, type Write } from '#shared/table/table.ts';
import type { AuditStamp } from './audit.ts';
import type { OrganizationRecord } from './directory-records.ts';
import { grantKey } from './keys.ts';
import { fieldWrites } from './organization-fields.ts';

/**
 * Grants of domains and groups for sign-in rules (rules/sign-in.md#grants). The record of the organization holds its grants,
 * and every use of a rule reads them there. Each domain and each group also has an item with the organizations that hold it,
 * so that nobody gets the domain of another organization by mistake. Only the operator writes either.
 */
const GrantRecord = z.object({
  v: z.literal(1),
  /** Names of organizations, which never change. */
  holders: z.array(z.string()),
});

/** The most domains and groups of one organization together. */
export const MOST_GRANTS = 100;

/** A domain or a group, and the organizations that hold it. */
export interface HeldGrant {
  kind: 'domain' | 'group';
  value: string;
  holders: readonly string[];
}

/**
 * Replaces the grants of an organization.
 *
 * @param mayShare whether a name that another organization holds is granted nevertheless
 * @returns `again` if its grants, or the holders of one of the names, changed since they were read; otherwise the names
 *   that other organizations hold, if the names may not be shared
 */
export async function setGrants(
  table: Table,
  organization: OrganizationRecord,
  grants: SignInGrants,
  { stamp, mayShare }: { stamp: AuditStamp; mayShare: boolean },
): Promise<'done' | 'again' | { held: HeldGrant[] }> {
  const { name } = organization;
  const before = grantsOf(organization);
  const [added, removed] = [difference(grants, before), difference(before, grants)];
  const [gains, losses] = await Promise.all([readHolders(table, added), readHolders(table, removed)]);
  const held = gains.filter(({ holders }) => holders.length > 0);
  if (held.length > 0 && !mayShare) return { held };
  return table.transact<'again'>([
    ...fieldWrites(organization, 'signInGrants', grants, stamp, {
      kind: 'organization.sign_in_grants_changed',
      before,
      after: grants,
    }),
    ...gains.map(({ key, holders }) => holdersWrite(key, holders, [...holders, name])),
    ...losses.map(({ key, holders }) => holdersWrite(key, holders, without(holders, [name]))),
  ]);
}

const without = (all: readonly string[], some: readonly string[]) => all.filter((one) => !some.includes(one));

/** Returns the domains and groups of the first that the second does not have. */
const difference = (one: SignInGrants, other: SignInGrants): SignInGrants => ({
  domains: without(one.domains, other.domains),
  groups: without(one.groups, other.groups),
});

async function readHolders(table: Table, { domains, groups }: SignInGrants): Promise<(HeldGrant & { key: Key })[]> {
  const named = (kind: 'domain' | 'group') => (value: string) => ({ kind, value, key: grantKey(kind, value) });
  const all = [...domains.map(named('domain')), ...groups.map(named('group'))];
  const items = await table.getMany(all.map(({ key }) => key));
  return all.map((one) => {
    const item = items.get(keyText(one.key));
    return { ...one, holders: item ? GrantRecord.parse(item).holders : [] };
  });
}

function holdersWrite(key: Key, before: readonly string[], holders: readonly string[]): Write<'again'> {
  const asRead = { ...onlyIf(before.length > 0 ? equal({ holders: before }) : absent()), refused: again };
  if (holders.length === 0) return { remove: key, ...asRead };
  const record: z.infer<typeof GrantRecord> = { v: 1, holders: [...holders] };
  return { put: { ...key, ...record }, ...asRead };
}
