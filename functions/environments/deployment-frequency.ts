import * as z from 'zod';
import { dayCountsOut } from '#functions/forms/day-counts.ts';
import { toSeconds } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { daysOf } from '#shared/environments/rules/deployment-frequency.ts';
import { archivedEnvironment, unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { countDeployments } from '#shared/environments/snapshots/list-deployments.ts';
import { unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { numberField } from '#shared/http/query-fields.ts';

const FrequencyOut = z
  .object({
    environment: z.string().describe('Name of the environment'),
    flow: z.string().nullable().describe('Name of the flow that was asked for; null for all flows'),
    start_ts: z.number().describe('Beginning of the window in seconds since the epoch'),
    end_ts: z.number().describe('End of the window in seconds since the epoch'),
    total: z.int().describe('Number of deployments in the window'),
    median_per_day: z.number().describe('Median of the deployments per day'),
    average_per_day: z.number().describe('Average of the deployments per day'),
    deployments: z
      .array(
        z.object({
          date: z.string().describe('The day in UTC, for example `2026-11-21`'),
          timestamp: z.number().describe('Beginning of the day in seconds since the epoch'),
          count: z.int().describe('Number of deployments on this day'),
        }),
      )
      .describe('One entry for each day, oldest first'),
  })
  .meta({ id: 'DeploymentFrequency' });

/**
 * GET /environments/{org}/{env_name}/deployment_frequency (rules/environments.md#deployment-frequency). The API document
 * has no sentences for unknown environments and flows here, so the long ones are used
 * (rules/requests.md#sentences-in-conflict).
 */
export const getDeploymentFrequency = endpoint({
  operation: 'getDeploymentFrequency',
  method: 'GET',
  path: '/environments/{org}/{env_name}/deployment_frequency',
  summary: 'Get the frequency of deployments in an environment',
  description:
    'Artifacts that started per day, of one flow or of all. Days are in UTC, and each day counts as a whole: from the day of `start_ts` to the day of `end_ts`, at most 366 days. The default is the last 28 days.',
  access: 'reader',
  row: 16,
  query: z.object({
    flow_id: z.string().optional().meta({ description: 'Id or name of a flow; all flows when absent' }),
    flow_name: z.string().optional().meta({ description: 'Another name of `flow_id`' }),
    start_ts: numberField({ min: 0 }).optional().meta({
      description: 'Seconds since the epoch: an instant of the first day. Default: 27 days before the last day',
    }),
    end_ts: numberField({ min: 0 }).optional().meta({
      description:
        'Seconds since the epoch: an instant of the last day. Default: now, also for an instant in the future',
    }),
  }),
  success: { 200: FrequencyOut },
  errors: [unknownEnvironment, archivedEnvironment, unknownFlow],
  checks: [({ query, refused }, { clock }) => refused.has('end_ts') || daysOf(query, clock.now())],
  handler: async ({ params, query, org }, stores: Pick<Stores, 'table' | 'clock'>) => {
    const days = daysOf(query, stores.clock.now());
    const counted = await countDeployments(stores, org, params.env_name, query.flow_id ?? query.flow_name, days);
    const { environment, flow, frequency } = counted;
    return {
      status: 200,
      body: {
        environment,
        flow,
        start_ts: toSeconds(days.start),
        end_ts: toSeconds(days.end),
        total: frequency.total,
        median_per_day: frequency.medianPerDay,
        average_per_day: frequency.averagePerDay,
        deployments: dayCountsOut(frequency.days),
      },
    };
  },
});
