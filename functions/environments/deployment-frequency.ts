import * as z from 'zod';
import { type EnvironmentId, type FlowId, isId } from '#shared/base/ids.ts';
import { toSeconds } from '#shared/base/time.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { requirePresent } from '#shared/environments/present-environment.ts';
import { readDeployments, readDeploymentsOf } from '#shared/environments/records/deployments.ts';
import type { EnvironmentHead } from '#shared/environments/records/environment-records.ts';
import { readWithEnvironment } from '#shared/environments/records/environments.ts';
import { type Days, daysOf, deploymentFrequency } from '#shared/environments/rules/deployment-frequency.ts';
import { archivedEnvironment, unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { type FlowHead, findFlow, readHead } from '#shared/evidence/records/flows.ts';
import { unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { numberField } from '#shared/http/query-fields.ts';
import type { Services } from '#shared/http/services.ts';

const FrequencyOut = z
  .object({
    environment: z.string(),
    flow: z.string().nullable(),
    start_ts: z.number(),
    end_ts: z.number(),
    total: z.int(),
    median_per_day: z.number(),
    average_per_day: z.number(),
    deployments: z.array(z.object({ date: z.string(), timestamp: z.number(), count: z.int() })),
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
  params: z.object({ org: z.string(), env_name: z.string() }),
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
  body: { kind: 'none' },
  success: { 200: FrequencyOut },
  errors: [unknownEnvironment, archivedEnvironment, unknownFlow],
  checks: [({ query, refused }, { clock }) => refused.has('end_ts') || daysOf(query, clock.now())],
  handler: async ({ params, query, org }, services) => {
    const days = daysOf(query, services.clock.now());
    const asked = query.flow_id ?? query.flow_name;
    const [read, flow] = await Promise.all([
      readWithEnvironment(services.table, org.id, params.env_name, (id) => startsOn(services, org, id, days)),
      asked === undefined ? undefined : flowBy(services, org, asked),
    ]);
    const head = requirePresent(read?.head ?? null, org, params.env_name);
    if (flow === null) throw unknownFlow({ flow: asked ?? '', org: org.name });
    const places = head.kind === 'logical' ? await startsInMembers(services, org, head, days) : [read?.beside];
    const frequency = deploymentFrequency((date) => {
      const day = date.replaceAll('-', '');
      const counts = places.map((starts) => starts?.get(day));
      return counts.reduce((sum, count) => sum + ((flow ? count?.counts[flow.id] : count?.all) ?? 0), 0);
    }, days);
    return {
      status: 200,
      body: {
        environment: head.name,
        flow: flow?.name ?? null,
        start_ts: toSeconds(days.start),
        end_ts: toSeconds(days.end),
        total: frequency.total,
        median_per_day: frequency.medianPerDay,
        average_per_day: frequency.averagePerDay,
        deployments: frequency.days.map(({ date, at, count }) => ({ date, timestamp: toSeconds(at), count })),
      },
    };
  },
});

/** Finds a flow by id, else by name: a name may look like an id. */
async function flowBy({ table }: Services, org: Organization, text: string): Promise<FlowHead | null> {
  const byId = isId<FlowId>(text) ? await readHead(table, org.id, text) : null;
  return byId ?? findFlow(table, org.id, text);
}

const startsOn = ({ table }: Services, org: Organization, environment: EnvironmentId, { start, last }: Days) =>
  readDeployments(table, org.id, environment, { from: start, to: last });

/** Nothing starts in a logical environment itself, so the starts in its present members count. */
const startsInMembers = ({ table }: Services, org: Organization, { members }: EnvironmentHead, { start, last }: Days) =>
  readDeploymentsOf(table, org.id, members, { from: start, to: last });
