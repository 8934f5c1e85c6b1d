import * as z from 'zod';
import type { FlowId, OrganizationId } from '#shared/base/ids.ts';
import { toSeconds } from '#shared/base/time.ts';
import { pageUrl } from '#shared/console/pages.ts';
import { readDeploymentsOf } from '#shared/environments/records/deployments.ts';
import { environmentHeadsIn } from '#shared/environments/records/environment-records.ts';
import { environmentHeadKey } from '#shared/environments/records/keys.ts';
import { environmentsOfFlow } from '#shared/environments/records/marks.ts';
import { type Days, daysOf, deploymentFrequency } from '#shared/environments/rules/deployment-frequency.ts';
import { type FlowHead, flowHeadsIn } from '#shared/evidence/records/flows.ts';
import { flowHeadKey } from '#shared/evidence/records/keys.ts';
import { readFlowWith } from '#shared/evidence/records/trails.ts';
import { unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { endpoint, type Request } from '#shared/http/endpoint.ts';
import { dayFields } from '#shared/http/query-fields.ts';
import type { Services } from '#shared/http/services.ts';
import type { Table } from '#shared/table/table.ts';
import { findTrailsBegun, TrailDays, trailDays, trailsIn } from './trail-days.ts';

const DeploymentDays = z
  .object({
    environment_name: z.string(),
    html_url: z.string().meta({ description: 'Page of the environment' }),
    total: z.int().meta({ description: 'Artifacts of the flow that started there in these days' }),
    median_per_day: z.number(),
    days: z
      .array(z.object({ date: z.string(), timestamp: z.number(), count: z.int() }))
      .meta({ description: 'Oldest first, days without any included' }),
  })
  .meta({ id: 'DeploymentDays' });

/** Environments in the answer. The days of each lie in a partition of their own. */
const MOST_ENVIRONMENTS = 20;

/** GET /flows/{org}/{flow}/frequency: trails and deployments of a flow by day (rules/flows.md#frequency). */
export const getFlowFrequency = endpoint({
  operation: 'getFlowFrequency',
  method: 'GET',
  path: '/flows/{org}/{flow}/frequency',
  summary: 'Get how often trails of a flow began and its artifacts were deployed, by day',
  description:
    'Days are in UTC, and each day counts as a whole, at most 366; the default is the last 28 days. The newest 175 trails are counted by day and present state. Deployments are shown for at most 20 environments in which artifacts of the flow ran.',
  access: 'reader',
  params: z.object({ org: z.string(), flow: z.string() }),
  query: z.object({
    ...dayFields,
  }),
  body: { kind: 'none' },
  success: {
    200: z
      .object({
        flow: z.string(),
        start_ts: z.number(),
        end_ts: z.number(),
        trails: TrailDays,
        environments: z
          .array(DeploymentDays)
          .meta({ description: 'Environments in which artifacts of the flow ran, most deployments first' }),
        more_environments: z.boolean().meta({ description: 'Whether they ran in more environments than these' }),
      })
      .meta({ id: 'FlowFrequency' }),
  },
  errors: [unknownFlow],
  checks: [({ query, refused }, { clock }) => refused.has('end_ts') || daysOf(query, clock.now())],
  handler: async ({ params, query, org, host }, services) => {
    const days = daysOf(query, services.clock.now());
    const { flow, beside } = await readFlowWith(services.table, org.id, params.flow, (id) =>
      readDaysOfFlow(services, org.id, id, days),
    );
    if (!flow) throw unknownFlow({ flow: params.flow, org: org.name });
    const { trails, environments, more } = beside;
    return {
      status: 200,
      body: {
        flow: flow.name,
        start_ts: toSeconds(days.start),
        end_ts: toSeconds(days.end),
        trails,
        environments: environments.map((one) => deploymentDaysOut(one, { org, host })),
        more_environments: more,
      },
    };
  },
});

interface DeploymentsOf {
  name: string;
  frequency: ReturnType<typeof deploymentFrequency>;
}

interface DaysOfFlow {
  trails: z.input<typeof TrailDays>;
  /** Archived environments are left out. */
  environments: DeploymentsOf[];
  more: boolean;
}

/** Reads trails and deployments of a flow by day. One batch of reads has the heads of the flow, its trails and environments. */
async function readDaysOfFlow(
  services: Services,
  org: OrganizationId,
  flow: FlowId,
  days: Days,
): Promise<[FlowHead | null, DaysOfFlow]> {
  const { table } = services;
  const [begun, { shown, more, counts }] = await Promise.all([
    findTrailsBegun(services, org, flow, days),
    readDeploymentsOfFlow(table, org, flow, days),
  ]);
  const found = await table.getMany([
    flowHeadKey(org, flow),
    ...shown.map((id) => environmentHeadKey(org, id)),
    ...begun.heads,
  ]);
  const heads = environmentHeadsIn(org, shown, found);
  const environments = shown.flatMap((id, n) => {
    const head = heads.get(id);
    if (!head || head.archived !== null) return [];
    const countOn = (date: string) => counts[n]?.get(date.replaceAll('-', ''))?.counts[flow] ?? 0;
    return [{ name: head.name, frequency: deploymentFrequency(countOn, days) }];
  });
  environments.sort((a, b) => b.frequency.total - a.frequency.total || (a.name < b.name ? -1 : 1));
  const trails = trailDays(trailsIn(begun.heads, found), begun.total, days);
  return [flowHeadsIn(org, [flow], found).get(flow) ?? null, { trails, environments, more }];
}

/** Reads what started by day in the environments where artifacts of a flow ran. */
async function readDeploymentsOfFlow(table: Table, org: OrganizationId, flow: FlowId, { start, last }: Days) {
  const all = await environmentsOfFlow(table, org, flow);
  const shown = all.slice(0, MOST_ENVIRONMENTS);
  const counts = await readDeploymentsOf(table, org, shown, { from: start, to: last });
  return { shown, more: all.length > shown.length, counts };
}

const deploymentDaysOut = (
  { name, frequency }: DeploymentsOf,
  at: Pick<Request, 'host' | 'org'>,
): z.input<typeof DeploymentDays> => ({
  environment_name: name,
  html_url: pageUrl(at, '/{org}/environments/{env}', { env: name }),
  total: frequency.total,
  median_per_day: frequency.medianPerDay,
  days: frequency.days.map(({ date, at: day, count }) => ({ date, timestamp: toSeconds(day), count })),
});
