import { stringify } from '#shared/base/json-text.ts';
import { retrying } from '#shared/base/retry.ts';
import { permissionDenied } from '#shared/base/sentences.ts';
import { addError, noErrors, refuseIfAny, withInput } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import { storeClaim } from '#shared/table/idempotency.ts';
import type { Uses } from '#shared/table/uses.ts';
import { OPERATOR, stampOf } from '../records/audit.ts';
import { Directory } from '../records/directory.ts';
import { type HeldGrant, MOST_GRANTS, setGrants } from '../records/sign-in-grants.ts';
import { setSignInRules } from '../records/sign-in-rules.ts';
import { grantsOf, isGranted, namedBy, type SignInGrants, type SignInRule } from '../rules/sign-in-rules.ts';

export { type HeldGrant, MOST_GRANTS };

export const PUT_SIGN_IN_RULES: Uses = { writes: ['@ORG', '@LETIN', 'AUDIT'], removes: ['@LETIN'] };

/**
 * Replaces the rules that let people who signed in into an organization (rules/sign-in.md#sign-in-rules).
 *
 * @throws ServiceError `invalid` with a text for each domain and group that the operator does not grant, `refused` if the
 *   organization does not exist any more
 */
export async function putSignInRules(
  { table }: Pick<Stores, 'table'>,
  by: Author<void>,
  rules: readonly SignInRule[],
): Promise<void> {
  const { org, caller, receivedAt } = by;
  await retrying(async () => {
    // The organization that authentication remembers can be up to 30 seconds old.
    const current = await new Directory(table).organization(org.name);
    if (!current) throw permissionDenied();
    refuseUngranted(rules, grantsOf(current));
    if (stringify(current.signInRules ?? []) === stringify(rules)) return storeClaim(table, by.claim());
    return setSignInRules(table, current, rules, stampOf(caller, receivedAt), by.claim());
  });
}

/** @throws ServiceError `invalid` with a text for each domain and group that the operator does not grant */
function refuseUngranted(rules: readonly SignInRule[], grants: SignInGrants): void {
  const errors = noErrors();
  for (const [i, rule] of rules.entries()) {
    if (isGranted(rule, grants)) continue;
    const { kind, name } = namedBy(rule);
    const text = `The ${kind} is not granted to the organization. The operator of the service grants it with 'grant-sign-in'`;
    addError(errors, `rules[${i}].${kind}`, withInput(text, name));
  }
  refuseIfAny(errors);
}

/** The grants after a change, or why there is no change: too many, or names that other organizations hold. */
type ChangedGrants = { grants: SignInGrants } | { tooMany: number } | { held: HeldGrant[] } | 'unknown';

/**
 * Replaces the domains and groups that an organization may name in its sign-in rules, if they change
 * (rules/sign-in.md#grants).
 *
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
    if (stringify(grants) === stringify(before)) return { grants };
    const outcome = await setGrants(table, org, grants, { stamp: { at: clock.now(), actor: OPERATOR }, mayShare });
    return outcome === 'done' ? { grants } : outcome;
  });
}
