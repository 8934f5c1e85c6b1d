import * as z from 'zod';
import { artifactUrl, type Place } from '#functions/forms/artifact-url.ts';
import { DayCounts, dayCountsOut } from '#functions/forms/day-counts.ts';
import { TimesOut } from '#functions/forms/times-form.ts';
import { AnyFlowName } from '#shared/base/names.ts';
import { toSeconds } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { timesByClass } from '#shared/console/times-by-class.ts';
import { daysOf } from '#shared/environments/rules/deployment-frequency.ts';
import { archivedEnvironment, historyOfLogical, unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { listDeployments as list } from '#shared/environments/snapshots/list-deployments.ts';
import { unknownRepo } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { flatPage, flatPageSchema, pageAnswer } from '#shared/http/paging.ts';
import { dayFields, listField, pageFields } from '#shared/http/query-fields.ts';

const seconds = (description: string) => z.number().nullable().meta({ description });

const DeploymentOut = z
  .object({
    at: z.number().describe('When it happened, in seconds since the epoch'),
    snapshot_index: z.int().describe('Number of the snapshot'),
    fingerprint: z.string().describe('SHA-256 of the artifact as 64 hex digits'),
    name: z.string().meta({ description: 'Name of the artifact, as the environment reported it' }),
    state: z.boolean().nullable().meta({ description: 'Whether it was compliant when it started; null = unknown' }),
    flow_name: z.string().nullable().meta({ description: 'Primary flow at the time; null without provenance' }),
    trail_name: z.string().nullable().meta({ description: 'Trail of the report; null without provenance' }),
    git_commit: z.string().nullable().meta({ description: 'Commit of the report; null without provenance' }),
    lead_time: seconds('Seconds from the commit to the start; null if the report does not tell when the commit was'),
    replaced_commit: z.string().nullable().meta({ description: 'Commit of the artifact that it replaced, or null' }),
    code_diff: z.string().nullable().describe('Address of the difference to the replaced code; null if unknown'),
    html_url: z.string().nullable().meta({ description: 'Page of the artifact; null without provenance' }),
  })
  .meta({ id: 'Deployment' });

const LeadTimesOut = z
  .object({
    known: z.int().meta({ description: 'Deployments whose lead time is known' }),
    median: seconds('Half of the deployments took at most so many seconds'),
    p90: seconds('90 percent of the deployments took at most so many seconds'),
    p99: seconds('99 percent of the deployments took at most so many seconds'),
    classes: TimesOut.shape.classes.optional(),
  })
  .meta({ id: 'LeadTimes' });

/** GET /environments/{org}/{env_name}/deployments: starts of artifacts (rules/environments.md#deployments). */
export const listDeployments = endpoint({
  operation: 'listDeployments',
  method: 'GET',
  path: '/environments/{org}/{env_name}/deployments',
  summary: 'List the deployments of a period with their lead times',
  description:
    'Newest first, of one repository, one flow or all. Days are in UTC, and each day counts as a whole, at most 366; the default is the last 28 days. Counts and lead times cover all pages. A period may have at most 2,000 events.',
  access: 'reader',
  query: z.object({
    ...pageFields({ perPage: 20 }),
    repo_name: z.string().optional().meta({ description: 'Only artifacts of the repository with this name' }),
    flow_name: AnyFlowName.optional().meta({ description: 'Only artifacts that this flow had when they started' }),
    ...dayFields,
    include: listField(z.enum(['classes']))
      .default([])
      .meta({ description: '`classes` adds the lead times by class' }),
  }),
  success: {
    200: flatPageSchema('deployments', DeploymentOut, 'Always empty')
      .extend({
        environment: z.string().describe('Name of the environment'),
        start_ts: z.number().describe('Beginning of the window in seconds since the epoch'),
        end_ts: z.number().describe('End of the window in seconds since the epoch'),
        median_per_day: z.number().describe('Median of the deployments per day'),
        average_per_day: z.number().describe('Average of the deployments per day'),
        days: DayCounts.meta({ description: 'Deployments per day, oldest first, days without any included' }),
        lead_times: LeadTimesOut.meta({ description: 'Over all deployments of the period' }),
      })
      .meta({ id: 'DeploymentsPage' }),
  },
  errors: [unknownEnvironment, archivedEnvironment, historyOfLogical, unknownRepo],
  uses: READ_BODIES,
  checks: [({ query, refused }, { clock }) => refused.has('end_ts') || daysOf(query, clock.now())],
  handler: async (request, stores: Stores) => {
    const { params, query, org } = request;
    const { page, per_page: perPage, repo_name: repo, flow_name: flow } = query;
    const days = daysOf(query, stores.clock.now());
    const found = await list(stores, org, params.env_name, { repo, flow, days, page, perPage });
    const { environment, frequency, total } = found;
    const shown = { page, perPage, total, items: found.onPage.map((start) => deploymentOut(start, request)) };
    return pageAnswer(request, shown, {
      ...flatPage('deployments', request, shown),
      environment,
      start_ts: toSeconds(days.start),
      end_ts: toSeconds(days.end),
      median_per_day: frequency.medianPerDay,
      average_per_day: frequency.averagePerDay,
      days: dayCountsOut(frequency.days),
      lead_times: {
        ...found.leadTimes,
        ...(query.include.includes('classes') && { classes: timesByClass(found.taken) }),
      },
    });
  },
});

type Start = Awaited<ReturnType<typeof list>>['onPage'][number];

function deploymentOut({ flows: [flow], ...start }: Start, place: Place): z.input<typeof DeploymentOut> {
  const { report, origin, fingerprint } = start;
  return {
    at: toSeconds(start.at),
    snapshot_index: start.index,
    fingerprint,
    name: start.name,
    state: start.compliant,
    flow_name: flow ?? null,
    trail_name: origin?.trail ?? null,
    git_commit: origin?.commit ?? null,
    lead_time: start.leadTime,
    replaced_commit: start.previousCommit,
    code_diff: start.codeDiff,
    html_url: flow === undefined ? null : artifactUrl(place, flow, fingerprint, report),
  };
}
