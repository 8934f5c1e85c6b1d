import { retrying } from '#shared/base/retry.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { OPERATOR } from '../records/audit.ts';
import { Directory } from '../records/directory.ts';
import { type HeldGrant, MOST_GRANTS, setGrants } from '../records/sign-in-grants.ts';
import { grantsOf, type SignInGrants } from '../rules/sign-in-rules.ts';

export { type HeldGrant, MOST_GRANTS };

/** The grants after a change, or why there is no change: too many, or names that other organizations hold. */
type ChangedGrants = { grants: SignInGrants } | { tooMany: number } | { held: HeldGrant[] } | 'unknown';

/**
 * Replaces the domains and groups that an organization may name in its sign-in rules, if they change
 * (rules/sign-in.md#grants).
 *
 * @param organization name of the organization
 * @param change returns the grants after the change; an attempt that meets another writer calls it again
 * @param mayShare whether a name that another organization holds is granted nevertheless
 */
export async function changeGrants(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  organization: string,
  change: (before: SignInGrants) => SignInGrants,
  { mayShare }: { mayShare: boolean },
): Promise<ChangedGrants> {
  return retrying(async () => {
    const org = await new Directory(table).organization(organization);
    if (!org) return 'unknown';
    const before = grantsOf(org);
    const grants = change(before);
    const count = grants.domains.length + grants.groups.length;
    if (count > MOST_GRANTS) return { tooMany: count };
    if (JSON.stringify(grants) === JSON.stringify(before)) return { grants };
    const outcome = await setGrants(table, org, grants, { stamp: { at: clock.now(), actor: OPERATOR }, mayShare });
    return outcome === 'done' ? { grants } : outcome;
  });
}
