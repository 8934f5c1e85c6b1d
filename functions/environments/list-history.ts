import * as z from 'zod';
import { artifactUrl, type Place } from '#functions/forms/artifact-url.ts';
import {
  type Duration,
  EPOCH,
  earliestOf,
  fromSeconds,
  latestOf,
  type Micros,
  minus,
  secondsOf,
  secondsOrNull,
  toSeconds,
} from '#shared/base/time.ts';
import { invalidField } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { archivedEnvironment, historyOfLogical, unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { type EnvironmentHistory, listHistory as list } from '#shared/environments/snapshots/list-history.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { flatPage, flatPageSchema, pageAnswer } from '#shared/http/paging.ts';
import { listField, numberField, pageFields } from '#shared/http/query-fields.ts';

/** 28 days, as for builds. */
const DEFAULT_PERIOD: Duration = 28 * 86_400 * 1_000_000;
/** Rows are small, and an auditor reads all of them. */
const LARGEST_PAGE = 1000;
/** Each row with evidence costs the head of its trail, each row with its allowance an entry: 100 of them take one call. */
const LARGEST_PAGE_WITH_EVIDENCE = 100;

const instant = (description: string) => z.number().nullable().meta({ description });

const RunOut = z
  .object({
    fingerprint: z.string().describe('SHA-256 of the artifact as 64 hex digits'),
    name: z.string().meta({ description: 'Name of the artifact, as the environment reported it' }),
    from: instant('When it started; null if it ran already when the period began'),
    to: instant('When it stopped; null if it still ran when the period ended'),
    state: z.boolean().nullable().meta({ description: 'The last verdict of the period; null = unknown' }),
    verdicts: z
      .array(
        z.object({
          state: z.boolean().nullable().meta({ description: 'Whether it was compliant; null = unknown' }),
          from: instant('When the verdict began; null if before the period'),
          to: instant('When the verdict ended; null if it held when the period ended'),
        }),
      )
      .meta({ description: 'The verdicts over time, oldest first' }),
    instances: z.int().nullable().meta({
      description: 'Instances at the last change; null if the events are older than this field',
    }),
    flow_name: z.string().nullable().meta({ description: 'Primary flow at the last change; null without provenance' }),
    trail_name: z.string().nullable().meta({ description: 'Trail of the report; null without provenance' }),
    git_commit: z.string().nullable().meta({ description: 'Commit of the report; null without provenance' }),
    artifact_id: z.string().nullable().meta({ description: 'Id of the report; null without provenance' }),
    html_url: z.string().nullable().meta({ description: 'Page of the artifact; null without provenance' }),
    trail_moments: z.int().nullable().optional().meta({
      description: 'Accepted writes of the trail until now; null without provenance. Only with `include=evidence`',
    }),
    allowed: z
      .object({
        by: z.string().meta({ description: 'Name of the user or service account' }),
        at: z.number().describe('When it happened, in seconds since the epoch'),
        description: z.string().meta({ description: 'The reason' }),
      })
      .nullable()
      .optional()
      .meta({
        description:
          "The artifact's entry on the allow-list that is in force now, or null. Only with `include=allowed`",
      }),
  })
  .meta({ id: 'ArtifactRun' });

const Totals = z
  .object({
    artifacts: z.int().meta({ description: 'Different artifacts that ran' }),
    runs: z.int().meta({ description: 'Rows: an artifact that stopped and started again has several' }),
    always_compliant: z.int().meta({ description: 'Artifacts that were compliant all the time that they ran' }),
    non_compliant: z.int().meta({ description: 'Artifacts that were not compliant for some time' }),
    unknown: z.int().meta({ description: 'Artifacts of unknown verdict for some time that were never non-compliant' }),
    non_compliant_seconds: z.number().meta({ description: 'Time in which at least one non-compliant artifact ran' }),
  })
  .meta({ id: 'HistoryTotals' });

const Query = z.object({
  ...pageFields({ perPage: 50, max: LARGEST_PAGE }),
  start_ts: numberField({ min: 0 }).optional().meta({
    description: 'Begin of the period in seconds since the epoch; the default is 28 days before `end_ts`',
  }),
  end_ts: numberField({ min: 0 }).optional().meta({
    description: 'End of the period in seconds since the epoch; the default is now, also for an instant in the future',
  }),
  include: listField(z.enum(['evidence', 'allowed']))
    .default([])
    .meta({ description: '`evidence`: how much was reported to the trail. `allowed`: who allowed the artifact' }),
});

/** GET /environments/{org}/{env_name}/artifacts: what ran during a period (rules/environments.md#history). */
export const listHistory = endpoint({
  operation: 'listEnvironmentArtifacts',
  method: 'GET',
  path: '/environments/{org}/{env_name}/artifacts',
  summary: 'List the artifacts that ran in an environment during a period',
  description:
    'A row is one uninterrupted time in which an artifact ran, with its verdicts over time. Rows that began before the period come first, then by begin. `totals` cover the whole period. A period may have at most 10,000 events.',
  access: 'reader',
  query: Query,
  success: {
    200: flatPageSchema('artifacts', RunOut, 'The artifacts')
      .extend({
        environment: z.string().describe('Name of the environment'),
        start_ts: z.number().describe('Beginning of the window in seconds since the epoch'),
        end_ts: z.number().describe('End of the window in seconds since the epoch'),
        totals: Totals.meta({ description: 'Sums over all pages' }),
        complete: z.boolean().meta({
          description:
            'False if the newest events are not written yet, or if the content of the snapshot at the begin was erased',
        }),
      })
      .meta({ id: 'EnvironmentHistory' }),
  },
  errors: [unknownEnvironment, archivedEnvironment, historyOfLogical],
  uses: READ_BODIES,
  checks: [
    ({ query, refused }, { clock }) => refused.has('end_ts') || periodOf(query, clock.now()),
    ({ query: { include = [], per_page: perPage = 0 } }) => {
      if (include.length === 0 || perPage <= LARGEST_PAGE_WITH_EVIDENCE) return;
      const text = `Input should be less than or equal to ${LARGEST_PAGE_WITH_EVIDENCE} with include`;
      throw invalidField('query.per_page', text, perPage);
    },
  ],
  handler: async (request, stores: Stores) => {
    const { params, query, org } = request;
    const { page, per_page: perPage, include } = query;
    const period = periodOf(query, stores.clock.now());
    const found = await list(stores, org, params.env_name, { period, page, perPage, include });
    const shown = { page, perPage, total: found.total, items: found.runs.map((run) => runOut(run, request)) };
    return pageAnswer(request, shown, {
      ...flatPage('artifacts', request, shown),
      environment: found.environment,
      start_ts: toSeconds(period.from),
      end_ts: toSeconds(period.to),
      totals: totalsOut(found.totals),
      complete: found.isComplete,
    });
  },
});

function periodOf({ start_ts: start, end_ts: end }: { start_ts?: number; end_ts?: number }, now: Micros) {
  const to = end === undefined ? now : earliestOf(now, fromSeconds(end));
  const from = start === undefined ? latestOf(EPOCH, minus(to, DEFAULT_PERIOD)) : fromSeconds(start);
  if (from > to) {
    throw invalidField('query.start_ts', 'Input should be less than or equal to end_ts and not in the future', start);
  }
  return { from, to };
}

function runOut(run: EnvironmentHistory['runs'][number], place: Place): z.input<typeof RunOut> {
  const { fingerprint, name, flow, report, origin, instances, trailMoments, allowed } = run;
  return {
    fingerprint,
    name,
    from: secondsOrNull(run.from),
    to: secondsOrNull(run.to),
    state: run.compliant,
    verdicts: run.verdicts.map(({ state, from, to }) => ({ state, from: secondsOrNull(from), to: secondsOrNull(to) })),
    instances,
    flow_name: flow,
    trail_name: origin?.trail ?? null,
    git_commit: origin?.commit ?? null,
    artifact_id: report,
    html_url: flow === null ? null : artifactUrl(place, flow, fingerprint, report),
    ...(trailMoments !== undefined && { trail_moments: trailMoments }),
    ...(allowed !== undefined && { allowed: allowed && { ...allowed, at: toSeconds(allowed.at) } }),
  };
}

const totalsOut = ({ alwaysCompliant, nonCompliant, nonCompliantTime, ...totals }: EnvironmentHistory['totals']) => ({
  ...totals,
  always_compliant: alwaysCompliant,
  non_compliant: nonCompliant,
  non_compliant_seconds: secondsOf(nonCompliantTime),
});
