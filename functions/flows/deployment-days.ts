import * as z from 'zod';
import { DayCounts, dayCountsOut } from '#functions/forms/day-counts.ts';
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
    days: DayCounts.meta({ description: 'Oldest first, days without any included' }),
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
  days: dayCountsOut(frequency.days),
});
