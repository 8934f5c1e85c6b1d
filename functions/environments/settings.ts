import * as z from 'zod';
import { AnyEnvironmentName, AnyPolicyName } from '#shared/base/names.ts';

/** Limit of member names per request, since each name costs a read (rules/environments.md#members). */
const MOST_MEMBERS = 500;
/** Limit of policy names per request. Names may repeat; the distinct policies have a limit of their own. */
const MOST_POLICY_NAMES = 100;

/** Fields that PUT and PATCH share (rules/environments.md#patch). Absent and null mean unchanged. */
export const settingsFields = {
  include_scaling: z.boolean().nullish().meta({ deprecated: true, description: 'Ignored' }),
  included_environments: z.array(AnyEnvironmentName).max(MOST_MEMBERS).nullish().meta({
    description: 'Names of physical environments that a logical one includes from now on',
  }),
  policies: z.array(AnyPolicyName).max(MOST_POLICY_NAMES).nullish().meta({
    description: 'Names of the policies that are attached from now on',
  }),
};
