import * as z from 'zod';
import { reasonOrSentenceFields, reasonsField, reasonsOut } from '#functions/forms/reasons.ts';
import { AnyEnvironmentName } from '#shared/base/names.ts';
import { cutText } from '#shared/base/well-formed.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { POINT_PATTERN } from '#shared/environments/rules/expressions.ts';
import {
  archivedEnvironment,
  invalidExpression,
  severalMarks,
  snapshotOutOfRange,
  unknownEnvironment,
} from '#shared/environments/rules/sentences.ts';
import { explainRows } from '#shared/environments/snapshots/explain-rows.ts';
import { listSnapshotArtifacts as list } from '#shared/environments/snapshots/get-snapshot.ts';
import { failedDecisions, type ShownRow } from '#shared/environments/snapshots/resolve-content.ts';
import { reasonReading } from '#shared/evaluations/explain-decisions.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { pageAnswer } from '#shared/http/paging.ts';
import { integerField } from '#shared/http/query-fields.ts';
import { reasonsOf } from '#shared/policies/rules/reasons.ts';
import { SnapshotArtifact } from './artifact-output.ts';
import { snapshotFacts, snapshotFields } from './snapshot-output.ts';

const DEFAULT_PER_PAGE = 100;
const LARGEST_PAGE = 1000;
const MOST_REASONS = 3;
const LONGEST_REASON = 300;

const STATES = { compliant: true, 'non-compliant': false, unknown: null } as const;

const RowOut = z
  .object({
    fingerprint: z.string().describe('SHA-256 of the artifact as 64 hex digits'),
    name: z.string().meta({ description: 'Name of the artifact, as the environment reported it' }),
    environment_name: z.string().optional().describe('Name of the environment'),
    state: z.boolean().nullable().meta({ description: 'Whether the artifact is compliant; null = unknown' }),
    allowed: z.boolean().meta({ description: 'Whether the artifact was on the allow-list' }),
    change: SnapshotArtifact.shape.annotation.shape.type.meta({ description: 'Difference to the snapshot before' }),
    instances: z.int().meta({ description: 'Running instances; 0 if the artifact exited' }),
    started_at: z.number().nullable().meta({ description: 'Start of the first instance, in seconds since the epoch' }),
    flow_name: z.string().nullable().meta({ description: 'Primary flow at the time; null without provenance' }),
    trail_name: z.string().nullable().meta({ description: 'Trail in the primary flow; null without provenance' }),
    artifact_id: z.string().nullable().meta({
      description: 'Id of the report in the primary flow; null without provenance',
    }),
    ...reasonOrSentenceFields('The first three reasons why the artifact is not compliant'),
    reasons_total: z.int().meta({ description: 'All reasons' }),
  })
  .meta({ id: 'SnapshotRow' });

const Query = z.object({
  page: integerField({ min: 1 }).optional().meta({ description: 'Number of the page, from 1 on' }),
  per_page: integerField({ min: 1, max: LARGEST_PAGE })
    .optional()
    .meta({ description: 'Artifacts on a page; 100 if only `page` is given' }),
  state: z.enum(['compliant', 'non-compliant', 'unknown']).optional().meta({
    description: 'Only running artifacts with this verdict',
  }),
  search: z.string().optional().meta({
    description: 'Only artifacts whose name contains this text, in any case, or whose fingerprint begins with it',
  }),
  ...reasonsField,
});

/** GET …/{snappish}/artifacts: the artifacts of a snapshot in short (rules/environments.md#snapshot-rows). */
export const listSnapshotArtifacts = endpoint({
  operation: 'listSnapshotArtifacts',
  method: 'GET',
  path: '/snapshots/{org}/{env_name}/{snappish}/artifacts',
  summary: 'List the artifacts of a snapshot in short',
  description:
    'All rows, or with `page` or `per_page` one page of them. The counts cover the whole snapshot. Large answers need `Accept-Encoding: gzip`.',
  access: 'reader',
  params: z.object({
    org: z.string(),
    env_name: AnyEnvironmentName,
    snappish: z.string().meta({ pattern: POINT_PATTERN }),
  }),
  query: Query,
  success: {
    200: z
      .object({
        environment: z.string().describe('Name of the environment'),
        ...snapshotFields,
        state: z.boolean().nullable().meta({ description: 'Whether the snapshot is compliant; null = unknown' }),
        policies: z
          .array(
            z.object({
              name: z.string().meta({ description: 'Name of the policy' }),
              version: z.int().meta({ description: 'Version of the evaluation' }),
            }),
          )
          .meta({ description: 'The policies that were applied' }),
        total_count: z.int().meta({ description: 'Artifacts that match the filters, on all pages' }),
        artifacts: z.array(RowOut).describe('The artifacts'),
      })
      .meta({ id: 'SnapshotRows' }),
  },
  errors: [unknownEnvironment, archivedEnvironment, snapshotOutOfRange, invalidExpression, severalMarks],
  uses: READ_BODIES,
  handler: async (request, stores: Stores) => {
    const { params, query, org } = request;
    const isPaged = query.page !== undefined || query.per_page !== undefined;
    const page = { page: query.page ?? 1, perPage: query.per_page ?? DEFAULT_PER_PAGE };
    const { snapshot, onPage, total } = await list(stores, org, params.env_name, params.snappish, {
      state: query.state && STATES[query.state],
      search: query.search,
      page: isPaged ? page : undefined,
    });
    const chains =
      query.reasons && (await explainRows(reasonReading(stores), { host: request.host, org }, snapshot, onPage));
    const body = {
      ...snapshotFacts(snapshot),
      environment: snapshot.head.name,
      policies: snapshot.policies.map(({ name, version }) => ({ name, version })),
      total_count: total,
      artifacts: onPage.map((row, n) => ({ ...rowOut(row), ...reasonsOut(chains?.[n]) })),
    };
    return isPaged ? pageAnswer(request, { ...page, total }, body) : { status: 200, body };
  },
});

function rowOut(row: ShownRow): z.input<typeof RowOut> {
  const { name, fingerprint, flows, compliant, annotation } = row;
  const [primary] = flows;
  const reasons = compliant === false ? reasonsOf(failedDecisions(row)) : [];
  return {
    fingerprint,
    name,
    ...(row.environmentName !== undefined && { environment_name: row.environmentName }),
    state: compliant,
    allowed: row.allowed,
    change: annotation.type,
    instances: annotation.now,
    started_at: row.started[0] ?? null,
    flow_name: primary?.name ?? null,
    trail_name: primary?.trailName ?? null,
    artifact_id: primary?.report ?? null,
    reasons: reasons.slice(0, MOST_REASONS).map((reason) => cutText(reason, LONGEST_REASON)),
    reasons_total: reasons.length,
  };
}
