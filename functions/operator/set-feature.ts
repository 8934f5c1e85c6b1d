import * as z from 'zod';
import { Feature } from '#shared/callers/roles.ts';
import { setFeature as set } from '#shared/organizations/set-features.ts';
import { command, done, refused } from './command.ts';

/** Switches a beta feature on or off. Running functions use the new value within 30 s (rules/organizations.md#trust-times). */
export const setFeature = command({
  name: 'set-feature',
  schema: z.strictObject({ organization: z.string(), feature: Feature, enabled: z.boolean() }),
  run: async ({ organization, feature, enabled }, services) => {
    const outcome = await set(services, organization, feature, enabled);
    if (outcome === 'unknown') return refused(`There is no organization '${organization}'`);
    if (outcome === 'again') {
      return refused(`Another writer changed the features of '${organization}' at the same time. Try again`);
    }
    return done(`The feature ${feature} of '${organization}' is ${enabled ? 'on' : 'off'}`, { feature, enabled });
  },
});
