import * as z from 'zod';
import { Feature } from '#shared/base/roles.ts';
import { OPERATOR } from '#shared/organizations/records/audit.ts';
import { setFeatures, switched } from '#shared/organizations/records/features.ts';
import { command, done, refused } from './command.ts';

/** Switches a beta feature of an organization; functions learn of it within 30 seconds (semantics §12.6). */
export const setFeature = command({
  name: 'set-feature',
  schema: z.strictObject({ organization: z.string(), feature: Feature, enabled: z.boolean() }),
  run: async ({ organization, feature, enabled }, { directory, table, clock }) => {
    const org = await directory.organization(organization);
    if (!org) return refused(`There is no organization '${organization}'`);
    const features = switched(org.features, feature, enabled);
    const stamp = { at: clock.now(), actor: OPERATOR };
    if (features !== org.features && (await setFeatures(table, org, features, stamp)) === 'again') {
      return refused(`Somebody else is changing the features of '${organization}'; try again`);
    }
    return done(`The feature ${feature} of '${organization}' is ${enabled ? 'on' : 'off'}`, { feature, enabled });
  },
});
