import * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import { pageUrl } from '#shared/console/pages.ts';
import type { DeploymentsOf } from '#shared/environments/flows/read-flow-frequency.ts';
import type { Request } from '#shared/http/request.ts';

/** The deployments in one environment by day (rules/flows.md#frequency). */

export const DeploymentDays = z
  .object({
    environment_name: z.string().describe('Name of the environment'),
    html_url: z.string().meta({ description: 'Page of the environment' }),
    total: z.int().meta({
      description: 'Artifacts that started there in these days; of the flow, if it is the frequency of a flow',
    }),
    median_per_day: z.number().describe('Median of the deployments per day'),
    days: z
      .array(
        z.object({
          date: z.string().describe('The day in UTC, for example `2026-11-21`'),
          timestamp: z.number().describe('Time in seconds since the epoch'),
          count: z.int().describe('How many there are'),
        }),
      )
      .meta({ description: 'Oldest first, days without any included' }),
  })
  .meta({ id: 'DeploymentDays' });

export const deploymentDaysOut = (
  { name, frequency }: DeploymentsOf,
  at: Pick<Request, 'host' | 'org'>,
): z.input<typeof DeploymentDays> => ({
  environment_name: name,
  html_url: pageUrl(at, '/{org}/environments/{env}', { env: name }),
  total: frequency.total,
  median_per_day: frequency.medianPerDay,
  days: frequency.days.map(({ date, at: day, count }) => ({ date, timestamp: toSeconds(day), count })),
});
