import { type AttestationId, type FlowId, storedId, timeOfId } from '#shared/base/ids.ts';
import { latestOf, type Micros } from '#shared/base/time.ts';
import { type DecisionSubject, readDecisions } from '#shared/controls/records/decisions.ts';
import { type AttestationRecord, readAttestations } from '#shared/evidence/records/attestation-records.ts';
import { ATTESTATIONS, EVIDENCE_FACETS } from '#shared/evidence/rules/series-kinds.ts';
import { listedTrail } from '#shared/evidence/trails/list-trails.ts';
import { listingPage } from '#shared/series/listings.ts';
import type { Table } from '#shared/table/table.ts';
import { type FlowSubject, readFlowScope } from '../read-flow-scope.ts';
import { playArrivals } from '../rules/dry-run/play-arrivals.ts';
import type { Past, PlayedSubject } from './past.ts';
import { type ListOfFlow, readPastEntries } from './read-past-entries.ts';
import { listOfTrails } from './read-past-trails.ts';

/**
 * Plays an expectation of the kinds `evidence` and `activity` over the trails or the compliant attestations of its flows.
 *
 * @throws ServiceError `invalid` if it would look at too many
 */
export async function readPastFlows(table: Table, past: Past): Promise<PlayedSubject[]> {
  const { org, scope, terms, from, now, per } = past;
  const flows = await readFlowScope(table, org, scope);
  const arrivals = await (past.evidence ? readAttested(table, past, flows) : readBegun(table, past, flows));
  if (per === 'scope') {
    const all = flows.flatMap(({ id }) => arrivals.get(id) ?? []).toSorted((one, other) => one - other);
    return [
      { subject: { type: 'scope' }, unknown: [], gaps: playArrivals(terms, { arrivals: all, begin: from, now }) },
    ];
  }
  return flows.map(({ id, name: flow, created }) => ({
    subject: { type: 'flow', flow },
    unknown: [],
    gaps: playArrivals(terms, { arrivals: arrivals.get(id) ?? [], begin: latestOf(created, from), now }),
  }));
}

/** The instants of each flow, the oldest first. */
type Arrivals = ReadonlyMap<FlowId, Micros[]>;

async function readBegun(table: Table, past: Past, flows: readonly FlowSubject[]): Promise<Arrivals> {
  const entries = await readPastEntries([listOfTrails(table, past)], flows.map(idOf), past, 'trails');
  return byFlow(entries.map(listedTrail).map(({ flow, entry }) => ({ flow, at: timeOfId(entry) })));
}

async function readAttested(table: Table, past: Past, flows: readonly FlowSubject[]): Promise<Arrivals> {
  const lists = typesOf(past).map((type) => listOfAttestations(table, past, type));
  const entries = await readPastEntries(lists, flows.map(idOf), past, 'attestations');
  const ids = entries.map(({ r }) => storedId<AttestationId>(String(r)));
  const compliant = (await readAttestations(table, past.org, ids)).filter(({ compliant: isCompliant }) => isCompliant);
  return byFlow(await matching(table, past, compliant));
}

const idOf = ({ id }: FlowSubject): FlowId => id;

const byFlow = (all: readonly { flow: FlowId; at: Micros }[]): Arrivals =>
  new Map(
    [...Map.groupBy(all, ({ flow }) => flow)].map(([flow, ones]) => [
      flow,
      ones.map(({ at }) => at).toSorted((one, other) => one - other),
    ]),
  );

/** Returns the types of attestations that may count; undefined = any type. An override counts for the type that it overrides. */
function typesOf({ evidence }: Past): (string | undefined)[] {
  if (evidence?.by === 'type') return [evidence.value, 'override'];
  return [evidence?.by === 'control' ? 'decision' : undefined];
}

const listOfAttestations =
  (table: Table, { org, now }: Past, type: string | undefined): ListOfFlow =>
  (flow, query, window) => {
    const facet = { ...(flow !== undefined && { f: flow }), ...(type !== undefined && { y: type }) };
    return listingPage(table, org, EVIDENCE_FACETS, ATTESTATIONS, facet, query, now, window);
  };

/** Which of the attestations an expectation waits for, as arrivals are recorded (rules/expectations.md#arrivals). */
async function matching(
  table: Table,
  { org, evidence }: Past,
  records: readonly AttestationRecord[],
): Promise<AttestationRecord[]> {
  const value = evidence?.value ?? '';
  if (evidence?.by === 'name') return records.filter(({ name }) => name === value);
  if (evidence?.by === 'type') return records.filter((record) => typeOf(record) === value);
  // The index of decisions names the control, so the facts of the decisions need not be read from the bucket.
  const abouts = new Map(
    records.map(({ fingerprint, flow, trail }): [string, DecisionSubject] =>
      fingerprint === null ? [`${flow}#${trail}`, { flow, trail }] : [fingerprint, { fingerprint }],
    ),
  );
  const questions = [...abouts.values()].map((about) => ({ control: value, about }));
  const found = new Set((await readDecisions(table, org, questions)).flat().map(({ id }) => id));
  return records.filter(({ id }) => found.has(id));
}

const typeOf = ({ type, derived }: AttestationRecord): unknown =>
  type === 'override' ? derived['original_attestation_type'] : type;
