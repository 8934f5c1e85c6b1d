import * as z from 'zod';
import { invalid } from '#shared/base/errors.ts';
import { type FlowId, type Id, isId, type OrganizationId, storedId } from '#shared/base/ids.ts';
import { parseJson } from '#shared/base/json-text.ts';
import { readBody } from '#shared/bodies/bodies.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { listingPage, mergedPage } from '#shared/series/listings.ts';
import type { SeriesPage, SeriesQuery, Window } from '#shared/series/series.ts';
import type { Table } from '#shared/table/table.ts';
import { type ArtifactRecord, artifactsIn } from '../records/artifact-records.ts';
import { flowNamesIn } from '../records/flows.ts';
import { artifactKey, flowHeadKey, repoIdKey } from '../records/keys.ts';
import { readListedRepos, repoLabelsIn } from '../records/repo-records.ts';
import { findRepos } from '../records/repos.ts';
import { BUILDS, EVIDENCE_FACETS } from '../rules/series-kinds.ts';

interface BuildFilters {
  /** Id at the provider. */
  externalId?: string | undefined;
  name?: string | undefined;
  innerId?: string | undefined;
}

/** What a build shows of its repository. */
interface BuildRepo {
  name: string;
  externalId: string;
  provider: string | null;
}

/** Each repository is a series of its own to merge (rules/lists.md#merged-lists). */
const MOST_SERIES = 20;
/** Bytes. Reports with a longer id are refused, so no repository has one. */
const LONGEST_EXTERNAL_ID = 255;

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

/**
 * Reads one page of the builds in a time window whose repository matches all filters (rules/lookups.md#build-filters).
 * Name and external id are compared with the present facts of the repositories.
 *
 * @returns `known`: the repositories that were read for the filters
 * @throws ServiceError `invalid` if more than {@link MOST_SERIES} repositories match
 */
async function selectBuilds(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  org: Organization,
  filters: BuildFilters,
  page: SeriesQuery,
  window: Window,
): Promise<SeriesPage & { known: ReadonlyMap<Id, BuildRepo> }> {
  const repos = await readMatchingRepos(table, org.id, filters);
  if (repos && repos.ids.length > MOST_SERIES) {
    throw invalid({
      'query.repo_name': `Fits more than ${MOST_SERIES} repositories. Ask for one by its internal id`,
    });
  }
  const now = clock.now();
  const facets = repos ? repos.ids.map((p) => ({ p })) : [{}];
  const lists = facets.map(
    (facet) => (part: SeriesQuery) => listingPage(table, org.id, EVIDENCE_FACETS, BUILDS, facet, part, now, window),
  );
  return { ...(await mergedPage(lists, page)), known: repos?.known ?? new Map() };
}

/** Reads the repositories that match all filters. @returns undefined if there is no filter */
async function readMatchingRepos(table: Table, org: OrganizationId, { externalId, name, innerId }: BuildFilters) {
  if (name === undefined && externalId === undefined) {
    return innerId === undefined ? undefined : { ids: isId(innerId) ? [innerId] : [], known: new Map() };
  }
  const found =
    name === undefined ? await readReposAt(table, org, externalId ?? '') : await readListedRepos(table, org);
  const matching = found.filter(
    (repo) =>
      (name === undefined || repo.name === name) &&
      (externalId === undefined || repo.externalId === externalId) &&
      (innerId === undefined || repo.id === innerId),
  );
  return { ids: matching.map(({ id }) => id), known: new Map(matching.map((repo) => [repo.id, repo])) };
}

/** Reads the repositories that have an id at their provider. */
const readReposAt = async (table: Table, org: OrganizationId, externalId: string) =>
  Buffer.byteLength(externalId) > LONGEST_EXTERNAL_ID ? [] : findRepos(table, org, externalId);
