import * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import { NewSuspension } from '#shared/organizations/rules/suspension.ts';
import { suspendOrganization as suspend } from '#shared/organizations/suspend-organization.ts';
import { type CommandServices, command, done, type OperatorResult, refused } from './command.ts';

/** Refuses an organization changes or everything, within 30 s (rules/organizations.md#suspension). */
export const suspendOrganization = command({
  name: 'suspend-organization',
  schema: z.strictObject({ organization: z.string(), ...NewSuspension.shape }),
  run: ({ organization, ...suspension }, services) => answerSuspension(services, organization, suspension),
});

/** Ends a suspension, within 30 s. */
export const resumeOrganization = command({
  name: 'resume-organization',
  schema: z.strictObject({ organization: z.string() }),
  run: ({ organization }, services) => answerSuspension(services, organization, undefined),
});

async function answerSuspension(
  services: CommandServices,
  organization: string,
  wanted: NewSuspension | undefined,
): Promise<OperatorResult> {
  const outcome = await suspend(services, organization, wanted);
  if (outcome === 'unknown') return refused(`There is no organization '${organization}'`);
  if (!outcome) return done(`Nothing of '${organization}' is suspended`, { suspension: null });
  const what = outcome.what === 'writes' ? `Changes of '${organization}' are` : `'${organization}' is`;
  return done(`${what} suspended`, { suspension: { ...outcome, since: toSeconds(outcome.since) } });
}
