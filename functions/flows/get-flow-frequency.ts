import * as z from 'zod';
import { timesOut } from '#functions/forms/times-form.ts';
import { toSeconds } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { readFlowFrequency } from '#shared/environments/flows/read-flow-frequency.ts';
import { daysOf } from '#shared/environments/rules/deployment-frequency.ts';
import { unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { dayFields, listField } from '#shared/http/query-fields.ts';
import { DeploymentDays, deploymentDaysOut } from './deployment-days.ts';
import { TrailDays, timesToCompliance, trailDays } from './trail-days.ts';

/** GET /flows/{org}/{flow}/frequency: trails and deployments of a flow by day (rules/flows.md#frequency). */
export const getFlowFrequency = endpoint({
  operation: 'getFlowFrequency',
  method: 'GET',
  path: '/flows/{org}/{flow}/frequency',
  summary: 'Get how often trails of a flow began and its artifacts were deployed, by day',
  description:
    'Days are in UTC, and each day counts as a whole, at most 366; the default is the last 28 days. The newest 175 trails are counted by day and present state. Deployments are shown for at most 20 environments in which artifacts of the flow ran.',
  access: 'reader',
  query: z.object({
    ...dayFields,
    include: listField(z.enum(['times']))
      .default([])
      .meta({
        description:
          '`times` adds how long the counted trails that are compliant now took from their begin to their last report',
      }),
  }),
  success: {
    200: z
      .object({
        flow: z.string().describe('The flow'),
        start_ts: z.number().describe('Beginning of the window in seconds since the epoch'),
        end_ts: z.number().describe('End of the window in seconds since the epoch'),
        trails: TrailDays.describe('The trails that are evaluated'),
        environments: z
          .array(DeploymentDays)
          .meta({ description: 'Environments in which artifacts of the flow ran, most deployments first' }),
        more_environments: z.boolean().meta({ description: 'Whether they ran in more environments than these' }),
      })
      .meta({ id: 'FlowFrequency' }),
  },
  errors: [unknownFlow],
  checks: [({ query, refused }, { clock }) => refused.has('end_ts') || daysOf(query, clock.now())],
  handler: async ({ params, query, org, host }, stores: Pick<Stores, 'table' | 'clock'>) => {
    const days = daysOf(query, stores.clock.now());
    const { flow, trails, environments, hasMore } = await readFlowFrequency(stores, org, params.flow, days);
    return {
      status: 200,
      body: {
        flow,
        start_ts: toSeconds(days.start),
        end_ts: toSeconds(days.end),
        trails: {
          ...trailDays(trails.counted, trails.total, days),
          ...(query.include.includes('times') && { times: timesOut(timesToCompliance(trails.counted)) }),
        },
        environments: environments.map((one) => deploymentDaysOut(one, { org, host })),
        more_environments: hasMore,
      },
    };
  },
});
