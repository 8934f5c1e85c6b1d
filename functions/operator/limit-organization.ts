import * as z from 'zod';
import { isAbove, type RequestLimit, readLimit } from '#shared/callers/request-limits.ts';
import { limitOrganization as limit } from '#shared/organizations/limit-organization.ts';
import { command, done, refused } from './command.ts';

const RULE =
  'Should be the requests in a second and at once, such as 400/2000; the second number is at least the first';

const limitForm = z.string().transform((text, context): RequestLimit => {
  const read = readLimit(text);
  if (read) return read;
  context.addIssue(`${RULE} [input: ${text}]`);
  return z.NEVER;
});

/**
 * Gives an organization limits in place of those of the stage; without limits, those of the stage again
 * (rules/requests.md#limits-of-organizations).
 */
export const limitOrganization = command({
  name: 'limit-organization',
  schema: z.strictObject({ organization: z.string(), requests: limitForm.optional(), writes: limitForm.optional() }),
  run: async ({ organization, requests, writes }, services) => {
    const limits = requests && { requests, writes: writes ?? requests };
    if (writes && !requests) return refused('Give the limit of all requests, too');
    const { stage } = services.limits ?? {};
    for (const [name, given] of Object.entries(limits ?? {})) {
      if (stage && isAbove(given, stage)) {
        return refused(`${name}: The stage admits no more than ${stage.rate}/${stage.burst} of all organizations`);
      }
    }
    if (limits && isAbove(limits.writes, limits.requests)) {
      return refused('writes: The limit of changes cannot be above the limit of all requests');
    }
    if ((await limit(services, organization, limits)) === 'unknown') {
      return refused(`There is no organization '${organization}'`);
    }
    return done(limits ? `'${organization}' has limits of its own` : `'${organization}' has the limits of the stage`, {
      limits: limits ?? null,
    });
  },
});
