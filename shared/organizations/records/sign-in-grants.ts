import * as z from 'zod';
import { again } from '#shared/base/retry.ts';
import { grantsOf, type SignInGrants } from '#shared/organizations/rules/sign-in-rules.ts';
import { absent, change, equal, exists, onlyIf } from '#shared/table/expressions.ts';
import { type Item, type Key, keyText, type Table, type Write } from '#shared/table/table.ts';
import { type AuditStamp, auditWrite } from './audit.ts';
import type { OrganizationRecord } from './directory-records.ts';
import { grantKey, organizationKey } from './keys.ts';

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
 * Replaces the grants of an organization. Other functions see the change within 30 seconds.
 *
 * @param organization the record as it was read
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
  const { id, name, signInGrants } = organization;
  const before = grantsOf(organization);
  const [added, removed] = [without(grants, before), without(before, grants)];
  const [gains, losses] = await Promise.all([readHolders(table, added), readHolders(table, removed)]);
  const held = gains.filter(({ holders }) => holders.length > 0);
  if (held.length > 0 && !mayShare) return { held };
  return table.transact<'again'>([
    {
      update: organizationKey(name),
      ...change(
        { set: { signInGrants: grants } },
        ...(signInGrants ? [equal({ signInGrants })] : [exists(), absent('signInGrants')]),
      ),
      refused: again,
    },
    ...gains.map(({ key, holders }) => holdersWrite(key, holders, [...holders, name])),
    ...losses.map(({ key, holders }) =>
      holdersWrite(
        key,
        holders,
        holders.filter((holder) => holder !== name),
      ),
    ),
    auditWrite(id, stamp, {
      kind: 'organization.sign_in_grants_changed',
      subject: { type: 'organization', id, name },
      before,
      after: grants,
    }),
  ]);
}

/** Returns the domains and groups of the first that the second does not have. */
const without = (one: SignInGrants, other: SignInGrants): SignInGrants => ({
  domains: one.domains.filter((domain) => !other.domains.includes(domain)),
  groups: one.groups.filter((group) => !other.groups.includes(group)),
});

async function readHolders(table: Table, { domains, groups }: SignInGrants): Promise<(HeldGrant & { key: Key })[]> {
  const named = [
    ...domains.map((value) => ({ kind: 'domain' as const, value, key: grantKey('domain', value) })),
    ...groups.map((value) => ({ kind: 'group' as const, value, key: grantKey('group', value) })),
  ];
  const items = await table.getMany(named.map(({ key }) => key));
  const holdersOf = (item: Item | undefined) => (item ? GrantRecord.parse(item).holders : []);
  return named.map((one) => ({ ...one, holders: holdersOf(items.get(keyText(one.key))) }));
}

function holdersWrite(key: Key, before: readonly string[], holders: readonly string[]): Write<'again'> {
  const asRead = onlyIf(before.length > 0 ? equal({ holders: before }) : absent());
  if (holders.length === 0) return { remove: key, ...asRead, refused: again };
  return {
    put: { ...key, ...({ v: 1, holders: [...holders] } satisfies z.infer<typeof GrantRecord>) },
    ...asRead,
    refused: again,
  };
}
