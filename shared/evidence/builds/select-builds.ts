import { invalid } from '#shared/base/errors.ts';
import { type Id, isId, type OrganizationId } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { listingPage, mergedPage } from '#shared/series/listings.ts';
import type { SeriesPage, SeriesQuery, Window } from '#shared/series/series.ts';
import type { Table } from '#shared/table/table.ts';
import { readListedRepos } from '../records/repo-records.ts';
import { findRepos } from '../records/repos.ts';
import { BUILDS, EVIDENCE_FACETS } from '../rules/series-kinds.ts';

export interface BuildFilters {
  /** Id at the provider. */
  externalId?: string | undefined;
  name?: string | undefined;
  innerId?: string | undefined;
}

/** What a build shows of its repository. */
export interface BuildRepo {
  name: string;
  externalId: string;
  provider: string | null;
}

interface SelectedBuilds extends SeriesPage {
  /** Repositories that were read to apply the filters. */
  known: ReadonlyMap<Id, BuildRepo>;
}

/** Each repository is a series of its own to merge (rules/lists.md#merged-lists). */
const MOST_SERIES = 20;
/** Bytes. Reports with a longer id are refused, so no repository has one. */
const LONGEST_EXTERNAL_ID = 255;

/**
 * Reads one page of the builds in a time window whose repository matches all filters (rules/lookups.md#build-filters).
 * Name and external id are compared with the present facts of the repositories.
 * @throws ServiceError `invalid` if more than {@link MOST_SERIES} repositories match
 */
export async function selectBuilds(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  org: Organization,
  filters: BuildFilters,
  page: SeriesQuery,
  window: Window,
): Promise<SelectedBuilds> {
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
