import { type AttestationId, type FlowId, type Id, storedId } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { mergedPage } from '#shared/series/listings.ts';
import { entriesAfter } from '#shared/series/scan.ts';
import type { SeriesQuery, Window } from '#shared/series/series.ts';
import { readEach } from '#shared/table/read-each.ts';
import { readFacts } from './attestation-facts.ts';
import { readOfFlow } from './flows/get-flow.ts';
import { type AttestationRecord, readAttestations } from './records/attestation-records.ts';
import { readFlowNames } from './records/flows.ts';
import { isDecision, TYPES_OF_DECISIONS } from './rules/decisions.ts';
import { type Grade, reachesGrade, verificationOf } from './rules/verification.ts';
import {
  attestationsPage,
  canMatch,
  type Filters,
  findInTrails,
  type Selected,
  selectAttestations,
} from './select-attestations.ts';

/** Filters for which no series exists: each record has to be looked at. */
interface RecordFilters {
  name?: string | undefined;
  compliant?: boolean | undefined;
  /** Name of the user or service account that reported it. */
  by?: string | undefined;
  /** Identifier of a control; only decisions have one, and signed bundles that decide about it. */
  control?: string | undefined;
  /** Only evidence of a lesser grade. */
  below?: Grade | undefined;
}

interface FoundAttestations extends Pick<Selected, 'records' | 'flowName'> {
  /** The entry that the next page follows; null on the last page. */
  next: Id | null;
}

/** Most attestations that one page looks at. */
const MOST_RECORDS = 300;

interface Candidate {
  entry: Id;
  id: AttestationId;
}

/**
 * Finds the attestations that follow an entry and match all filters (rules/attestations.md#attestations-by-result). A page
 * looks at a limited number of attestations, so it can be short or empty and still have a next page.
 * @throws ServiceError `not-found` if the flow is unknown
 */
export async function findAttestations(
  stores: Stores,
  org: Organization,
  filters: Filters,
  wanted: RecordFilters,
  { after, perPage }: { after: Id | undefined; perPage: number },
): Promise<FoundAttestations> {
  const { table } = stores;
  if (filters.attestation_id !== undefined) {
    const { records, flowName } = await selectAttestations(stores, org, filters, { page: 1, perPage: 1 });
    return { records: await matching(stores, org, records, wanted), flowName, next: null };
  }
  const { entries, isEnd } = await readOfFlow(stores, org, filters.flow, (flow) =>
    readCandidates(stores, org, filters, flow, typesFor(filters, wanted), after),
  );
  const ids = entries.map(({ id }) => id);
  const found = await matching(stores, org, await readAttestations(table, org.id, ids), wanted);
  const records = found.slice(0, perPage);
  const names = await readFlowNames(table, org.id, [...new Set(records.map(({ flow }) => flow))]);
  const isFull = records.length === perPage;
  const last = isFull ? entries.find(({ id }) => id === records.at(-1)?.id) : entries.at(-1);
  const hasRest = !isEnd || (isFull && last !== entries.at(-1));
  return { records, flowName: (flow) => names.get(flow) ?? '', next: hasRest && last ? last.entry : null };
}

/** Returns the types whose lists are read; undefined = any type. */
function typesFor({ type }: Filters, { control }: RecordFilters): readonly (string | undefined)[] {
  return type === undefined && control !== undefined ? TYPES_OF_DECISIONS : [type];
}

async function readCandidates(
  stores: Stores,
  org: Organization,
  filters: Filters,
  flow: FlowId | undefined,
  types: readonly (string | undefined)[],
  after: Id | undefined,
): Promise<{ entries: Candidate[]; isEnd: boolean }> {
  if (!canMatch(filters)) return { entries: [], isEnd: true };
  const { trail, fingerprint, window } = filters;
  if (trail !== undefined || fingerprint !== undefined) {
    const found = (await findInTrails(stores, org, filters, flow, types)).map(({ id }) => id);
    // Ids of attestations sort by the time of their request, so an id serves as the place in the list.
    const left = found.toSorted((a, b) => (a < b ? 1 : -1)).filter((id) => after === undefined || id < after);
    const entries = left.slice(0, MOST_RECORDS).map((id) => ({ entry: id, id }));
    return { entries, isEnd: left.length <= MOST_RECORDS };
  }
  const now = stores.clock.now();
  const list = (type: string | undefined, part: Window | undefined) => (page: SeriesQuery) =>
    attestationsPage(stores.table, org.id, { flow, type }, page, now, part);
  const { entries, isEnd } = await entriesAfter(
    (query, part) =>
      mergedPage(
        types.map((type) => list(type, part)),
        query,
      ),
    { window, after, oldestFirst: false, most: MOST_RECORDS },
  );
  return { entries: entries.map(({ id, r }) => ({ entry: id, id: storedId(String(r)) })), isEnd };
}

/** Only decisions have a control, and it stands in their facts. */
async function matching(
  { objects }: Pick<Stores, 'objects'>,
  org: Organization,
  records: readonly AttestationRecord[],
  { name, compliant, by, control, below }: RecordFilters,
): Promise<AttestationRecord[]> {
  const fitting = records.filter(
    (record) =>
      (name === undefined || record.name === name) &&
      (compliant === undefined || record.compliant === compliant) &&
      (by === undefined || record.by === by) &&
      (below === undefined || !reachesGrade(verificationOf(record).grade, below)) &&
      (control === undefined || isDecision(record)),
  );
  if (control === undefined) return fitting;
  const controls = await readEach(
    fitting,
    async ({ facts }) => (await readFacts(objects, org.id, facts))?.evidence?.['control'],
  );
  return fitting.filter((_, i) => controls[i] === control);
}
