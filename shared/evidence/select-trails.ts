import { invalid } from '#shared/base/errors.ts';
import { type Fingerprint, type FlowId, type Id, isFingerprint, storedId } from '#shared/base/ids.ts';
import type { FlowName } from '#shared/base/names.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { listingPage, mergedPage } from '#shared/series/listings.ts';
import { type SeriesEntry, type SeriesPage, type SeriesQuery, seriesPage, type Window } from '#shared/series/series.ts';
import { findFingerprints } from './records/artifact-records.ts';
import { findFlowsByTag } from './records/flows.ts';
import { readBesideFlow } from './records/trails.ts';
import { startOnce } from './reporting.ts';
import { unknownFlow } from './rules/sentences.ts';
import { EVIDENCE_FACETS, trailsOf } from './rules/series-kinds.ts';
import { isShaPrefix } from './sha-prefix.ts';

/** Each series that is merged into a list costs reads of its own (rules/lists.md#merged-lists). */
const MOST_SERIES = 20;

export interface TrailFilters {
  /** Name of a flow. */
  flow?: FlowName | undefined;
  /** A whole fingerprint or a prefix. */
  fingerprint?: string | undefined;
  /** `key=value`. */
  flow_tag?: string | undefined;
}

/** A trail, and the id of its entry in the list. */
export interface ListedTrail {
  entry: Id;
  flow: FlowId;
  trail: string;
}

interface SelectedTrails {
  total: number;
  /** The trails of the page, in the order of the list. */
  places: ListedTrail[];
}

/**
 * Finds one page of the trails that match all filters (rules/trails.md#list-trails).
 * @param window only trails whose entries were made in it; all trails if undefined
 * @throws ServiceError `not-found` for an unknown flow, `invalid` if the filters match more than {@link MOST_SERIES} series
 */
export async function selectTrails(
  stores: Stores,
  org: Organization,
  filters: TrailFilters,
  page: SeriesQuery,
  window?: Window,
): Promise<SelectedTrails> {
  const { total, entries } = await selectEntries(stores, org, filters, page, window);
  return { total, places: entries.map(listedTrail) };
}

export const listedTrail = ({ id, f, t }: SeriesEntry): ListedTrail => ({
  entry: id,
  flow: storedId<FlowId>(String(f)),
  trail: String(t),
});

/** Reads the entries of {@link selectTrails}. */
export async function selectEntries(
  { table, clock }: Pick<Stores, 'table' | 'clock'>,
  org: Organization,
  filters: TrailFilters,
  page: SeriesQuery,
  window?: Window,
): Promise<SeriesPage> {
  const now = clock.now();
  // These lookups run at the same time as the lookup of the flow, and once, even if the flow is looked up again.
  const readTaggedAndFingerprints = startOnce(() =>
    Promise.all([
      filters.flow_tag === undefined ? undefined : findTaggedFlows(filters.flow_tag),
      filters.fingerprint === undefined ? undefined : resolveFingerprints(filters.fingerprint),
    ]),
  );
  if (filters.flow === undefined) return readPage(undefined);
  const { flow, beside } = await readBesideFlow(table, org.id, filters.flow, readPage);
  if (!flow) throw unknownFlow({ flow: filters.flow, org: org.name });
  return beside;

  async function readPage(flow: FlowId | undefined): Promise<SeriesPage> {
    const [tagged, fingerprints] = await readTaggedAndFingerprints();
    const flows = intersectFlows(flow, tagged);
    const lists =
      fingerprints?.flatMap((fingerprint) =>
        (flows ?? [undefined]).map((id) => (part: SeriesQuery) => {
          const facet: Record<string, string> = id === undefined ? {} : { f: id };
          return listingPage(table, org.id, EVIDENCE_FACETS, trailsOf(fingerprint), facet, part, now, window);
        }),
      ) ??
      (flows?.map((id) => `trails:${id}`) ?? ['trails']).map(
        (series) => (part: SeriesQuery) => seriesPage(table, org.id, series, part, now, window),
      );
    if (lists.length > MOST_SERIES) {
      const field = filters.flow_tag === undefined ? 'query.fingerprint' : 'query.flow_tag';
      throw invalid({
        [field]: `Fits more than ${MOST_SERIES} lists of trails. Ask for one flow, or for a longer fingerprint`,
      });
    }
    return mergedPage(lists, page);
  }

  // One series more than allowed is enough to know that there are too many.
  async function findTaggedFlows(tag: string): Promise<FlowId[]> {
    const equals = tag.indexOf('=');
    return equals < 1
      ? []
      : findFlowsByTag(table, org.id, tag.slice(0, equals), tag.slice(equals + 1), MOST_SERIES + 1);
  }

  async function resolveFingerprints(prefix: string): Promise<Fingerprint[]> {
    if (!isShaPrefix(prefix)) return [];
    if (isFingerprint(prefix)) return [prefix];
    return (await findFingerprints(table, org.id, prefix, MOST_SERIES + 1)).map(({ fingerprint }) => fingerprint);
  }
}

/** The flows that match both filters; undefined if neither filter was given. */
function intersectFlows(flow: FlowId | undefined, tagged: FlowId[] | undefined): FlowId[] | undefined {
  if (flow === undefined) return tagged;
  if (tagged === undefined) return [flow];
  return tagged.filter((id) => id === flow);
}
