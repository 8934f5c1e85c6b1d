import type { OrganizationId } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import type { Part } from '#shared/series/scan.ts';
import type { SeriesQuery, Window } from '#shared/series/series.ts';
import { findTrails, type ScanFilters } from '../find-trails.ts';
import { readFlowNames } from '../records/flows.ts';
import { loadTemplates } from '../records/templates.ts';
import type { TrailHead } from '../records/trail-items.ts';
import { readTrailStates, readTrailSummaries, type TrailSummary } from '../records/trails.ts';
import { type ComplianceStatus, judgeTrail } from '../rules/verdict.ts';
import { type ListedTrail, selectTrails, type TrailFilters } from '../select-trails.ts';

export type { TrailFilters };

/** A trail of a list. */
export interface ShownTrail {
  head: TrailHead;
  /** JSON text of the trail's own fields. */
  fields: TrailSummary<ListedTrail>['fields'];
  erased: TrailSummary<ListedTrail>['erased'];
  /** Present name of the flow. */
  flow: string;
  /** Read together with the head, so that the state of the head fits it. Only if the statuses are wanted. */
  status?: ComplianceStatus | undefined;
}

/**
 * Lists one page of the trails that match all filters (rules/trails.md#list-trails).
 *
 * @param withStatus whether each trail is read with its slots and judged
 * @returns the trails of the page, and how many match in all
 * @throws ServiceError `not-found` for an unknown flow, `invalid` if the filters match too many series
 */
export async function listTrails(
  stores: Stores,
  org: Organization,
  filters: TrailFilters,
  { page, window, withStatus }: { page: SeriesQuery; window: Window | undefined; withStatus: boolean },
): Promise<{ total: number; trails: ShownTrail[] }> {
  const { total, places } = await selectTrails(stores, org, filters, page, window);
  const trails = await readShown(stores, org.id, places, withStatus, () =>
    readTrailSummaries(stores.table, stores.objects, org.id, places),
  );
  return { total, trails };
}

/**
 * Lists the trails that follow an entry, with filters by name or state (rules/trails.md#trails-by-state-and-name).
 *
 * @returns the trails, and the entry that the next page follows; null on the last page
 * @throws ServiceError as {@link listTrails}
 */
export async function listFoundTrails(
  stores: Stores,
  org: Organization,
  filters: TrailFilters & ScanFilters,
  { withStatus, ...part }: Omit<Part, 'most'> & { perPage: number; withStatus: boolean },
) {
  const { summaries, next } = await findTrails(stores, org, filters, filters, part);
  const places = summaries.map(({ place }) => place);
  return { trails: await readShown(stores, org.id, places, withStatus, async () => summaries), next };
}

/** Reads what the trails of a page show. Names of flows, summaries and statuses are read at the same time. */
async function readShown(
  stores: Pick<Stores, 'table' | 'objects'>,
  org: OrganizationId,
  places: readonly ListedTrail[],
  withStatus: boolean,
  readSummaries: () => Promise<TrailSummary<ListedTrail>[]>,
): Promise<ShownTrail[]> {
  const [summaries, names, judged] = await Promise.all([
    readSummaries(),
    readFlowNames(stores.table, org, [...new Set(places.map(({ flow }) => flow))]),
    withStatus ? judgeTrails(stores, org, places) : [],
  ]);
  const judgedOf = new Map(places.map(({ entry }, i) => [entry, judged[i]]));
  return summaries.map(({ place, head, fields, erased }) => {
    const found = judgedOf.get(place.entry);
    return { head: found?.head ?? head, fields, erased, flow: names.get(place.flow) ?? '', status: found?.status };
  });
}

/** Reads the states of trails and judges each by its template. @returns in the order of `places`; null for missing trails */
async function judgeTrails(
  { table, objects }: Pick<Stores, 'table' | 'objects'>,
  org: OrganizationId,
  places: readonly ListedTrail[],
): Promise<({ head: TrailHead; status: ComplianceStatus } | null)[]> {
  const states = await readTrailStates(table, org, places);
  const templateOf = await loadTemplates(
    table,
    objects,
    org,
    states.flatMap((read) => read?.state.template ?? []),
  );
  return states.map(
    (read) => read && { head: read.head, status: judgeTrail(read.state, templateOf(read.state.template)) },
  );
}
