import { invalid } from '#shared/base/errors.ts';
import { type Id, isId, type OrganizationId } from '#shared/base/ids.ts';
import { BUILDS } from '#shared/evidence/records/artifact-records.ts';
import { readListedRepos } from '#shared/evidence/records/repo-records.ts';
import { findRepos } from '#shared/evidence/records/repos.ts';
import type { Organization } from '#shared/http/endpoint.ts';
import type { Services } from '#shared/http/services.ts';
import { listingPage, mergedPage } from '#shared/series/listings.ts';
import type { SeriesPage, SeriesQuery, Window } from '#shared/series/series.ts';
import type { Table } from '#shared/table/table.ts';

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

export interface SelectedBuilds extends SeriesPage {
  /** Repositories that were read to answer the filters. */
  known: ReadonlyMap<Id, BuildRepo>;
}

/** So many series are merged into one list at most (design §4.2). */
const MOST_SERIES = 20;
/** Longer ids are refused in reports. */
const LONGEST_EXTERNAL_ID = 255;

/**
 * One page of the organization's builds in a window, of the repositories that all filters leave. Name and external id
 * are compared with what the repositories have now; the inner id is the series' own (semantics §11).
 * @throws ApiError 400 where more repositories fit than one list can be made of
 */
export async function selectBuilds(
  { table, clock }: Services,
  org: Organization,
  filters: BuildFilters,
  page: SeriesQuery,
  window: Window,
): Promise<SelectedBuilds> {
  const repos = await filteredRepos(table, org.id, filters);
  if (repos && repos.ids.length > MOST_SERIES) {
    throw invalid({
      'query.repo_name': `Fits more than ${MOST_SERIES} repositories. Ask for one by its internal id`,
    });
  }
  const now = clock.now();
  const facets = repos ? repos.ids.map((p) => ({ p })) : [{}];
  const lists = facets.map(
    (facet) => (asked: SeriesQuery) => listingPage(table, org.id, BUILDS, facet, asked, now, window),
  );
  return { ...(await mergedPage(lists, page)), known: repos?.known ?? new Map() };
}

/** The repositories that the filters leave, by id; undefined where there is no filter. */
async function filteredRepos(
  table: Table,
  org: OrganizationId,
  { externalId, name, innerId }: BuildFilters,
): Promise<{ ids: Id[]; known: Map<Id, BuildRepo> } | undefined> {
  if (name === undefined && externalId === undefined) {
    return innerId === undefined ? undefined : { ids: isId(innerId) ? [innerId] : [], known: new Map() };
  }
  const found = name === undefined ? await reposOf(table, org, externalId ?? '') : await readListedRepos(table, org);
  const fitting = found.filter(
    (repo) =>
      (name === undefined || repo.name === name) &&
      (externalId === undefined || repo.externalId === externalId) &&
      (innerId === undefined || repo.id === innerId),
  );
  return { ids: fitting.map(({ id }) => id), known: new Map(fitting.map((repo) => [repo.id, repo])) };
}

const reposOf = async (table: Table, org: OrganizationId, externalId: string) =>
  Buffer.byteLength(externalId) > LONGEST_EXTERNAL_ID ? [] : findRepos(table, org, externalId);
