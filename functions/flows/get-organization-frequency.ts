import * as z from 'zod';
import { TimesOut, timesOut } from '#functions/forms/times-form.ts';
import { toSeconds } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { readOrganizationFrequency } from '#shared/environments/flows/read-organization-frequency.ts';
import { daysOf } from '#shared/environments/rules/deployment-frequency.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { dayFields } from '#shared/http/query-fields.ts';
import { DeploymentDays, deploymentDaysOut } from './deployment-days.ts';
import { TrailDays, timesToCompliance, trailDays } from './trail-days.ts';

const EnvironmentFrequency = DeploymentDays.extend({
  lead_times: TimesOut.meta({
    description:
      'Seconds from the commit to the start, of the deployments among the newest 100 events of the environment',
  }),
}).meta({ id: 'EnvironmentFrequency' });

/** GET /organizations/{org}/frequency: trails, deployments and lead times (rules/environments.md#frequency-of-an-organization). */
export const getOrganizationFrequency = endpoint({
  operation: 'getOrganizationFrequency',
  method: 'GET',
  path: '/organizations/{org}/frequency',
  summary: 'Get how often trails of an organization began and artifacts were deployed, by day, and how long it took',
  description:
    'The days up to today in UTC, at most 366; the default is the last 28 days. The newest 175 trails are counted by day and present state. Deployments are shown for the 20 physical environments that changed last.',
  access: 'reader',
  query: z.object({ start_ts: dayFields.start_ts }),
  success: {
    200: z
      .object({
        start_ts: z.number().describe('Beginning of the window in seconds since the epoch'),
        end_ts: z.number().describe('End of the window in seconds since the epoch'),
        trails: TrailDays.required({ times: true })
          .meta({ id: 'OrganizationTrailDays' })
          .describe('Trails of all flows by the day on which they began'),
        environments: z
          .array(EnvironmentFrequency)
          .meta({ description: 'Physical environments with snapshots, most deployments first' }),
        more_environments: z.boolean().meta({ description: 'Whether there are more such environments than these' }),
        lead_times: TimesOut.meta({ description: 'The lead times of all these environments together' }),
      })
      .meta({ id: 'OrganizationFrequency' }),
  },
  checks: [({ query, refused }, { clock }) => refused.has('start_ts') || daysOf(query, clock.now())],
  handler: async ({ query, org, host }, stores: Pick<Stores, 'table' | 'clock'>) => {
    const days = daysOf(query, stores.clock.now());
    const { trails, environments, hasMore } = await readOrganizationFrequency(stores, org, days);
    return {
      status: 200,
      body: {
        start_ts: toSeconds(days.start),
        end_ts: toSeconds(days.end),
        trails: {
          ...trailDays(trails.counted, trails.total, days),
          times: timesOut(timesToCompliance(trails.counted)),
        },
        environments: environments.map((one) => ({
          ...deploymentDaysOut(one, { org, host }),
          lead_times: timesOut(one.taken),
        })),
        more_environments: hasMore,
        lead_times: timesOut(environments.flatMap(({ taken }) => taken)),
      },
    };
  },
});
