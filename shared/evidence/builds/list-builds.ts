import * as z from 'zod';
import { type FlowId, type Id, type OrganizationId, storedId } from '#shared/base/ids.ts';
import { parseJson } from '#shared/base/json-text.ts';
import { readBody } from '#shared/bodies/bodies.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import type { SeriesQuery, Window } from '#shared/series/series.ts';
import { type ArtifactRecord, artifactsIn } from '../records/artifact-records.ts';
import { flowNamesIn } from '../records/flows.ts';
import { artifactKey, flowHeadKey, repoIdKey } from '../records/keys.ts';
import { repoLabelsIn } from '../records/repo-records.ts';
import { type BuildFilters, type BuildRepo, selectBuilds } from './select-builds.ts';

/** The facts of a report that a build shows. */
const Facts = z.object({
  filename: z.string(),
  build_url: z.string(),
  git_commit_info: z
    .object({
      sha1: z.string(),
      message: z.string(),
      author: z.string(),
      branch: z.string(),
      url: z.string().default(''),
      timestamp: z.number(),
    })
    .nullable(),
});
type BuildFacts = z.output<typeof Facts>;

/** Facts that were erased. */
export const NO_FACTS: BuildFacts = { filename: '', build_url: '', git_commit_info: null };

/** The first report of a fingerprint in the organization. */
export interface Build {
  record: ArtifactRecord;
  /** `unreadable` says why the facts cannot be read. */
  facts: BuildFacts | { unreadable: unknown };
  /** Present name; empty if the flow is missing. */
  flow: string;
  /** Undefined if the report named no repository. */
  repo: BuildRepo | undefined;
}

/**
 * Lists the builds of a time window, newest first (rules/lookups.md#builds).
 *
 * @returns the builds of the page, how many match, and how many match at any time
 */
export async function listBuilds(
  stores: Stores,
  org: Organization,
  filters: BuildFilters,
  page: SeriesQuery,
  window: Window,
): Promise<{ total: number; whole: number; builds: Build[] }> {
  const { table, objects } = stores;
  const { entries, known, total, whole } = await selectBuilds(stores, org, filters, page, window);
  if (entries.length === 0) return { total, whole, builds: [] };
  const repoIds = entries
    .flatMap(({ p }) => (typeof p === 'string' ? [storedId<Id>(p)] : []))
    .filter((id) => !known.has(id));
  const flowIds = entries.map(({ f }) => storedId<FlowId>(String(f)));
  const ids = entries.map(({ r }) => String(r));
  // One call reads the reports, and the present names of flows and repositories.
  const found = await table.getMany([
    ...flowIds.map((id) => flowHeadKey(org.id, id)),
    ...repoIds.map((id) => repoIdKey(org.id, id)),
    ...ids.map((id) => artifactKey(org.id, id)),
  ]);
  const names = flowNamesIn(org.id, flowIds, found);
  const repos = new Map<Id, BuildRepo>([...known, ...repoLabelsIn(org.id, repoIds, found)]);
  const builds = await Promise.all(
    artifactsIn(org.id, ids, found).map(async (record) => ({
      record,
      facts: await readFacts(objects, org.id, record),
      flow: names.get(record.flow) ?? '',
      repo: repos.get(record.repo ?? ''),
    })),
  );
  return { total, whole, builds };
}

async function readFacts(objects: Stores['objects'], org: OrganizationId, { facts }: ArtifactRecord) {
  try {
    const text = await readBody(objects, org, facts);
    return text === null ? NO_FACTS : Facts.parse(parseJson(text));
  } catch (unreadable) {
    return { unreadable };
  }
}
