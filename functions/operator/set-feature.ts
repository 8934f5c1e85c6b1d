import * as z from 'zod';
import { Feature } from '#shared/callers/roles.ts';
import { OPERATOR } from '#shared/organizations/records/audit.ts';
import { setFeatures, switched } from '#shared/organizations/records/features.ts';
import { command, done, refused } from './command.ts';

/** Switches a beta feature on or off. Running functions use the new value within 30 s (rules/organizations.md#trust-times). */
export const setFeature = command({
  name: 'set-feature',
  schema: z.strictObject({ organization: z.string(), feature: Feature, enabled: z.boolean() }),
  run: async ({ organization, feature, enabled }, { directory, table, clock }) => {
    const org = await directory.organization(organization);
    if (!org) return refused(`There is no organization '${organization}'`);
    const features = switched(org.features, feature, enabled);
    const stamp = { at: clock.now(), actor: OPERATOR };
    if (features !== org.features && (await setFeatures(table, org, features, stamp)) === 'again') {
      return refused(`Another writer changed the features of '${organization}' at the same time. Try again`);
    }
    return done(`The feature ${feature} of '${organization}' is ${enabled ? 'on' : 'off'}`, { feature, enabled });
  },
});
