import { invalid } from '#shared/base/errors.ts';
import {
  type Fingerprint,
  type FlowId,
  type Id,
  isFingerprint,
  type OrganizationId,
  storedId,
} from '#shared/base/ids.ts';
import { type FlowName, storedName, type TrailName } from '#shared/base/names.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { listingPage, mergedPage } from '#shared/series/listings.ts';
import { entriesAfter, type Part } from '#shared/series/scan.ts';
import { type SeriesEntry, type SeriesPage, type SeriesQuery, seriesPage, type Window } from '#shared/series/series.ts';
import { readOfFlow } from '../flows/get-flow.ts';
import { findFingerprints } from '../records/artifact-records.ts';
import { findFlowsByTag, readFlowNames } from '../records/flows.ts';
import { readTrailSummaries, type TrailSummary } from '../records/trails.ts';
import { startOnce } from '../reporting.ts';
import { EVIDENCE_FACETS, trailsOf } from '../rules/series-kinds.ts';
import type { ComplianceStatus, StatusWord } from '../rules/verdict.ts';
import { isShaPrefix } from '../sha-prefix.ts';
import { placeKey, readCountedWords, readTrailJudges } from '../trail-judges.ts';

/** Each series that is merged into a list costs reads of its own (rules/lists.md#merged-lists). */
const MOST_SERIES = 20;
/** Most trails that one page looks at if it reads their heads. */
const MOST_HEADS = 200;
/** Most trails that one page looks at if it compares only names, which the entries of the list hold. */
const MOST_NAMES = 2000;

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
  trail: TrailName;
}

/** Filters for which no series exists: each trail has to be looked at. */
interface ScanFilters {
  /** Part of the name, in upper or lower case. */
  name?: string | undefined;
  /** One of these words; empty for any word. */
  words: readonly StatusWord[];
}

/** A trail of a list. The status is there if it is wanted. The head was then read together with it, so that both fit. */
export interface ShownTrail extends Omit<TrailSummary<ListedTrail>, 'place'> {
  /** Present name of the flow. */
  flow: string;
  /** The verdict by what counts, without recalled evidence. */
  word: StatusWord;
  status?: ComplianceStatus | undefined;
}

/**
 * Lists one page of the trails that match all filters (rules/trails.md#list-trails).
 *
 * @param withStatus whether each trail is read with its slots and judged
 * @returns the trails of the page, and how many match in all
 * @throws ServiceError `not-found` for an unknown flow, `invalid` if the filters match more than {@link MOST_SERIES} series
 */
export async function listTrails(
  stores: Stores,
  org: Organization,
  filters: TrailFilters,
  { page, window, withStatus }: { page: SeriesQuery; window: Window | undefined; withStatus: boolean },
): Promise<{ total: number; trails: ShownTrail[] }> {
  const { total, entries } = await selectEntries(stores, org, filters, page, window);
  const places = entries.map(listedTrail);
  const summaries = readTrailSummaries(stores.table, stores.objects, org.id, places);
  return { total, trails: await readShown(stores, org.id, places, withStatus, summaries) };
}

/**
 * Lists the trails that follow an entry, with filters by name or state (rules/trails.md#trails-by-state-and-name). A page
 * looks at a limited number of trails, so it can be short or empty and still have a next page.
 *
 * @returns the trails, and the entry that the next page follows; null on the last page
 * @throws ServiceError as {@link listTrails}
 */
export async function listFoundTrails(
  stores: Stores,
  org: Organization,
  filters: TrailFilters & ScanFilters,
  { withStatus, perPage, ...part }: Omit<Part, 'most'> & { perPage: number; withStatus: boolean },
): Promise<{ trails: ShownTrail[]; next: Id | null }> {
  const { name = '', words } = filters;
  const most = words.length > 0 ? MOST_HEADS : MOST_NAMES;
  const { entries, isEnd } = await entriesAfter((query, window) => selectEntries(stores, org, filters, query, window), {
    ...part,
    most,
  });
  const text = name.toLowerCase();
  const named = entries.map(listedTrail).filter(({ trail }) => trail.toLowerCase().includes(text));
  // Without a filter by state every named trail is on the page, so no more than the page are read.
  const candidates = words.length > 0 ? named : named.slice(0, perPage);
  let counted: ReadonlyMap<string, StatusWord> | undefined;
  const summaries = await readTrailSummaries(stores.table, stores.objects, org.id, candidates, {
    choose: async (heads) => {
      if (words.length === 0) return heads;
      const known = await readCountedWords(stores, org.id, signedAmong(heads));
      counted = known;
      return heads.filter(({ place, head }) => words.includes(known.get(placeKey(place)) ?? head.word));
    },
    limit: perPage,
  });
  const isFull = summaries.length === perPage;
  const lookedAt = isFull ? summaries.at(-1)?.place.entry : entries.at(-1)?.id;
  const hasRest = !isEnd || (isFull && lookedAt !== entries.at(-1)?.id);
  const places = summaries.map(({ place }) => place);
  const trails = await readShown(stores, org.id, places, withStatus, summaries, counted);
  return { trails, next: hasRest && lookedAt !== undefined ? lookedAt : null };
}

/** Reads what the trails of a page show. Names of flows, summaries and statuses are read at the same time. */
async function readShown(
  stores: Pick<Stores, 'table' | 'objects'>,
  org: OrganizationId,
  places: readonly ListedTrail[],
  withStatus: boolean,
  reading: TrailSummary<ListedTrail>[] | Promise<TrailSummary<ListedTrail>[]>,
  known?: ReadonlyMap<string, StatusWord>,
): Promise<ShownTrail[]> {
  const counting = async (heads: readonly TrailSummary<ListedTrail>[]) =>
    withStatus ? new Map<string, StatusWord>() : (known ?? readCountedWords(stores, org, signedAmong(heads)));
  const [[summaries, counted], names, judged] = await Promise.all([
    Promise.resolve(reading).then(async (heads) => [heads, await counting(heads)] as const),
    readFlowNames(stores.table, org, [...new Set(places.map(({ flow }) => flow))]),
    withStatus ? readTrailJudges(stores, org, places) : undefined,
  ]);
  return summaries.map(({ place, head, fields, erased }) => {
    const found = judged?.get(placeKey(place));
    const flow = names.get(place.flow) ?? '';
    const status = found?.judge.status();
    const word = status?.status ?? counted.get(placeKey(place)) ?? head.word;
    return { head: found?.head ?? head, fields, erased, flow, word, status };
  });
}

/** The trails that recalls can concern. */
const signedAmong = (heads: readonly Pick<TrailSummary<ListedTrail>, 'place' | 'head'>[]): ListedTrail[] =>
  heads.flatMap(({ place, head }) => (head.signed ? [place] : []));

export const listedTrail = ({ id, f, t }: SeriesEntry): ListedTrail => ({
  entry: id,
  flow: storedId<FlowId>(String(f)),
  trail: storedName(String(t)),
});

/** Reads a page of the entries of the trails that match all filters. */
async function selectEntries(
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
  return readOfFlow({ table }, org, filters.flow, readPage);

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
