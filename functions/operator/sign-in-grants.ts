import * as z from 'zod';
import { Domain, Group } from '#functions/forms/sign-in-rule-forms.ts';
import type { SignInGrants } from '#shared/organizations/rules/sign-in-rules.ts';
import { changeGrants, type HeldGrant, MOST_GRANTS } from '#shared/organizations/sign-in/change-rules.ts';
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
    answerGrants(services, organization, { mayShare: shared }, ({ domains, groups }) => ({
      domains: [...new Set([...domains, ...domain])].toSorted(),
      groups: [...new Set([...groups, ...group])].toSorted(),
    })),
});

export const revokeSignIn = command({
  name: 'revoke-sign-in',
  schema: z.strictObject({ organization: z.string(), ...names }),
  run: ({ organization, domain, group }, services) =>
    answerGrants(services, organization, { mayShare: false }, ({ domains, groups }) => ({
      domains: domains.filter((one) => !domain.includes(one)),
      groups: groups.filter((one) => !group.includes(one)),
    })),
});

export const listSignInGrants = command({
  name: 'list-sign-in-grants',
  schema: z.strictObject({ organization: z.string() }),
  runsInMaintenance: true,
  run: ({ organization }, services) => answerGrants(services, organization, { mayShare: false }, (grants) => grants),
});

/** Changes the grants of an organization, and shows them. */
async function answerGrants(
  services: CommandServices,
  organization: string,
  { mayShare }: { mayShare: boolean },
  change: (before: SignInGrants) => SignInGrants,
): Promise<OperatorResult> {
  const outcome = await changeGrants(services, organization, change, { mayShare });
  if (outcome === 'unknown') return refused(`There is no organization '${organization}'`);
  if ('tooMany' in outcome) {
    return refused(`These would be ${outcome.tooMany} grants of '${organization}'; there can be ${MOST_GRANTS}`);
  }
  if ('held' in outcome) return refused(outcome.held.map(heldSentence).join('; '));
  const { grants } = outcome;
  const message =
    grants.domains.length + grants.groups.length === 0
      ? `'${organization}' may name no domain and no group in its sign-in rules`
      : `'${organization}' may name these domains and groups in its sign-in rules`;
  return done(message, { ...grants });
}

const heldSentence = ({ kind, value, holders }: HeldGrant): string =>
  `The ${kind} '${value}' is granted to ${holders.map((holder) => `'${holder}'`).join(', ')}. Give --shared if both organizations shall let its people in`;
