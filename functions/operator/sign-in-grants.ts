import * as z from 'zod';
import { retrying } from '#shared/base/retry.ts';
import { OPERATOR } from '#shared/organizations/records/audit.ts';
import { type HeldGrant, MOST_GRANTS, setGrants } from '#shared/organizations/records/sign-in-grants.ts';
import { grantsOf, type SignInGrants } from '#shared/organizations/rules/sign-in-rules.ts';
import { Domain, Group } from '#shared/organizations/sign-in-rule-forms.ts';
import { type CommandServices, command, done, type OperatorResult, refused } from './command.ts';

/** Commands about the domains and groups that an organization may name in its sign-in rules (rules/sign-in.md#grants). */

/** One transaction changes so many names. */
const MOST_NAMES = 40;
const names = {
  domain: z.array(Domain).max(MOST_NAMES).default([]),
  group: z.array(Group).max(MOST_NAMES).default([]),
};

export const grantSignIn = command({
  name: 'grant-sign-in',
  schema: z.strictObject({ organization: z.string(), ...names, shared: z.boolean().default(false) }),
  run: ({ organization, domain, group, shared }, services) =>
    changeGrants(services, organization, { mayShare: shared }, ({ domains, groups }) => ({
      domains: [...new Set([...domains, ...domain])].toSorted(),
      groups: [...new Set([...groups, ...group])].toSorted(),
    })),
});

export const revokeSignIn = command({
  name: 'revoke-sign-in',
  schema: z.strictObject({ organization: z.string(), ...names }),
  run: ({ organization, domain, group }, services) =>
    changeGrants(services, organization, { mayShare: false }, ({ domains, groups }) => ({
      domains: domains.filter((one) => !domain.includes(one)),
      groups: groups.filter((one) => !group.includes(one)),
    })),
});

export const listSignInGrants = command({
  name: 'list-sign-in-grants',
  schema: z.strictObject({ organization: z.string() }),
  run: ({ organization }, services) => changeGrants(services, organization, { mayShare: false }, (grants) => grants),
});

/** Replaces the grants of an organization if they change, and shows them. */
async function changeGrants(
  { directory, table, clock }: CommandServices,
  organization: string,
  { mayShare }: { mayShare: boolean },
  change: (before: SignInGrants) => SignInGrants,
): Promise<OperatorResult> {
  return retrying(async () => {
    const org = await directory.organization(organization);
    if (!org) return refused(`There is no organization '${organization}'`);
    const before = grantsOf(org);
    const grants = change(before);
    const count = grants.domains.length + grants.groups.length;
    if (count > MOST_GRANTS)
      return refused(`These would be ${count} grants of '${organization}'; there can be ${MOST_GRANTS}`);
    const isSame = JSON.stringify(grants) === JSON.stringify(before);
    const stamp = { at: clock.now(), actor: OPERATOR };
    const outcome = isSame ? 'done' : await setGrants(table, org, grants, { stamp, mayShare });
    if (outcome === 'again') return outcome;
    if (outcome !== 'done') return refused(outcome.held.map(heldSentence).join('; '));
    const message =
      count === 0
        ? `'${organization}' may name no domain and no group in its sign-in rules`
        : `'${organization}' may name these domains and groups in its sign-in rules`;
    return done(message, { ...grants });
  });
}

const heldSentence = ({ kind, value, holders }: HeldGrant): string =>
  `The ${kind} '${value}' is granted to ${holders.map((holder) => `'${holder}'`).join(', ')}. Give --shared if both organizations shall let its people in`;
