import * as z from 'zod';
import { type FlowId, type Id, storedId } from '#shared/base/ids.ts';
import { firstMicrosFrom, lastMicrosTo, type Micros, toSeconds } from '#shared/base/time.ts';
import { invalidField } from '#shared/base/validation.ts';
import { readBody } from '#shared/bodies/bodies.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { type ArtifactRecord, artifactsIn } from '#shared/evidence/records/artifact-records.ts';
import { flowNamesIn } from '#shared/evidence/records/flows.ts';
import { artifactKey, flowHeadKey, repoIdKey } from '#shared/evidence/records/keys.ts';
import { repoLabelsIn } from '#shared/evidence/records/repo-records.ts';
import { type BuildRepo, type SelectedBuilds, selectBuilds } from '#shared/evidence/select-builds.ts';
import { endpoint, type Request } from '#shared/http/endpoint.ts';
import { flatPage, flatPageSchema, pageAnswer } from '#shared/http/paging.ts';
import { numberField, pageFields } from '#shared/http/query-fields.ts';
import type { Services } from '#shared/http/services.ts';
import { noteUnreadable } from '#shared/http/unreadable.ts';
import type { Window } from '#shared/series/series.ts';
import { BuildOut, buildOut, parseFacts } from './build-output.ts';

/** 28 days (rules/lookups.md#build-window). */
const DEFAULT_WINDOW: Micros = 28 * 86_400 * 1_000_000;

const Query = z.object({
  ...pageFields({ perPage: 20, min: 0, max: 50 }),
  repo_id: z.string().optional().meta({ description: 'Id of the repository at its provider' }),
  external_repo_id: z.string().optional().meta({ description: 'The same as `repo_id`' }),
  repo_name: z.string().optional(),
  repo_inner_id: z.string().optional().meta({ description: 'Internal id of the repository; it never changes' }),
  repo_internal_id: z.string().optional().meta({ description: 'The same as `repo_inner_id`' }),
  start_ts: numberField().optional().meta({
    description: 'Seconds since the epoch, inclusive; the default is 28 days before `end_ts`',
  }),
  end_ts: numberField().optional().meta({
    description: 'Seconds since the epoch, inclusive; the default is now',
  }),
});
type Query = z.output<typeof Query>;

/** GET /builds/{org}: builds of the organization, newest first (rules/lookups.md#builds). */
export const listBuilds = endpoint({
  operation: 'listBuilds',
  method: 'GET',
  path: '/builds/{org}',
  summary: 'List builds',
  description:
    'A build is the first report of a fingerprint in the organization. A build must match all filters. `has_builds_ever` follows the filters but not the window. `per_page=0` only counts.',
  access: 'reader',
  row: 12,
  params: z.object({ org: z.string() }),
  query: Query,
  body: { kind: 'none' },
  success: {
    200: flatPageSchema('builds', BuildOut).extend({ has_builds_ever: z.boolean() }).meta({ id: 'BuildsPage' }),
  },
  errors: [],
  uses: READ_BODIES,
  checks: [({ query, refused }, { clock }) => refused.has('end_ts') || windowOf(query, clock.now())],
  handler: async (request, services) => {
    const { query, org } = request;
    const { page, per_page: perPage } = query;
    const window = windowOf(query, services.clock.now());
    const filters = {
      externalId: query.repo_id ?? query.external_repo_id,
      name: query.repo_name,
      innerId: query.repo_inner_id ?? query.repo_internal_id,
    };
    const selected = await selectBuilds(services, org, filters, { page, perPage }, window);
    const items = await readBuilds(services, request, selected);
    const shown = { page, perPage, total: selected.total, items };
    return pageAnswer(request, shown, {
      ...flatPage('builds', request, shown),
      has_builds_ever: selected.whole > 0,
    });
  },
});

/**
 * Returns the window in microseconds. A build is in the window exactly if its `created_at`, as answers show it, is not
 * less than `start_ts` and not greater than `end_ts`.
 * @throws ServiceError 400 if the window ends before it begins
 */
function windowOf({ start_ts: start, end_ts }: Partial<Query>, now: Micros): Window {
  const end = end_ts ?? toSeconds(now);
  if (start !== undefined && start > end) {
    throw invalidField('query.start_ts', 'Input should be less than or equal to end_ts', start);
  }
  const to = lastMicrosTo(end);
  return { from: start === undefined ? to - DEFAULT_WINDOW : firstMicrosFrom(start), to };
}

/** Reads the builds of a page: with one call their reports, and the present names of flows and repositories. */
async function readBuilds(
  services: Services,
  request: Pick<Request, 'org' | 'host' | 'requestId' | 'path'>,
  { entries, known }: SelectedBuilds,
): Promise<BuildOut[]> {
  const { table } = services;
  const { org, host } = request;
  if (entries.length === 0) return [];
  const repoIds = entries
    .flatMap(({ p }) => (typeof p === 'string' ? [storedId<Id>(p)] : []))
    .filter((id) => !known.has(id));
  const flowIds = entries.map(({ f }) => storedId<FlowId>(String(f)));
  const ids = entries.map(({ r }) => String(r));
  const found = await table.getMany([
    ...flowIds.map((id) => flowHeadKey(org.id, id)),
    ...repoIds.map((id) => repoIdKey(org.id, id)),
    ...ids.map((id) => artifactKey(org.id, id)),
  ]);
  const names = flowNamesIn(org.id, flowIds, found);
  const repos = new Map<Id, BuildRepo>([...known, ...repoLabelsIn(org.id, repoIds, found)]);
  const reports = await Promise.all(
    artifactsIn(org.id, ids, found).map(async (record) => ({
      record,
      facts: await readFacts(services, request, record),
    })),
  );
  return reports.map(({ record, facts }) => {
    const place = { host, org: org.name, flow: names.get(record.flow) ?? '' };
    return buildOut(record, facts, repos.get(record.repo ?? ''), place);
  });
}

/** Reads the facts of a report. @returns null if they cannot be read; the log then says why */
async function readFacts(
  { objects }: Services,
  request: Pick<Request, 'org' | 'requestId' | 'path'>,
  record: ArtifactRecord,
) {
  try {
    return parseFacts(await readBody(objects, request.org.id, record.facts));
  } catch (error) {
    noteUnreadable('builds', request, `artifact ${record.id}`, error);
    return null;
  }
}
