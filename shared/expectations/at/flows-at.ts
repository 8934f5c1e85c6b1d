import { type FlowId, timeOfId } from '#shared/base/ids.ts';
import { EPOCH, latestOf, type Micros, minus } from '#shared/base/time.ts';
import { listedTrail } from '#shared/evidence/trails/list-trails.ts';
import type { Table } from '#shared/table/table.ts';
import { listsOfAttestations, readAwaited } from '../dry-run/read-awaited.ts';
import { readEntriesOfFlows } from '../dry-run/read-past-entries.ts';
import { listOfTrails } from '../dry-run/read-past-trails.ts';
import { readFlowScope } from '../read-flow-scope.ts';
import { arrivalsOf, readArrivals } from '../records/arrivals.ts';
import { type Expectation, judgeReports } from '../rules/expectation.ts';
import { type Instant, type JudgedAt, UNKNOWN } from './judged-at.ts';

/** Flows whose arrivals before the instant are looked for in their lists. */
const MOST_FLOWS = 20;
/** Entries of these lists that are looked at, the newest before the instant. */
const MOST_ENTRIES = 300;

/**
 * Judges the flows of an expectation of the kinds `evidence` and `activity` as of an instant. Only the latest arrival of a flow is
 * stored, so those before it are looked for in the list of trails or attestations if it came after the instant.
 */
export async function judgeFlowsAt(table: Table, expectation: Expectation, instant: Instant): Promise<JudgedAt[]> {
  const { org, at } = instant;
  const [scope, latest] = await Promise.all([
    readFlowScope(table, org, expectation.scope),
    readArrivals(table, org, arrivalsOf(expectation)),
  ]);
  const flows = scope.filter(({ created }) => created <= at);
  const cameLater = flows.map(({ id }) => id).filter((id) => (latest.get(id)?.at ?? EPOCH) > at);
  const before = await readLatestBefore(table, expectation, instant, cameLater);
  const lastOf = (id: FlowId): Micros | null => (cameLater.includes(id) ? before(id) : (latest.get(id)?.at ?? EPOCH));
  const times = flows.map(({ id, created }) => ({ created, reported: lastOf(id) }));
  if (expectation.per !== 'scope') return times.map((one) => judge(expectation, one, at));
  const known = times.flatMap(({ reported }) => reported ?? []);
  return [
    known.length < times.length
      ? UNKNOWN
      : judge(expectation, { created: EPOCH, reported: latestOf(EPOCH, ...known) }, at),
  ];
}

function judge(
  expectation: Expectation,
  { created, reported }: { created: Micros; reported: Micros | null },
  at: Micros,
): JudgedAt {
  if (reported === null) return UNKNOWN;
  return { met: reported === EPOCH ? null : reported, ...judgeReports(expectation, { created, reported }, at) };
}

/** Looks for the last arrivals before the instant that can still count at it. @returns the instant; 0 = none; null = nobody knows */
async function readLatestBefore(
  table: Table,
  { evidence, every, grace, startsAt }: Expectation,
  { org, at }: Instant,
  flows: readonly FlowId[],
): Promise<(flow: FlowId) => Micros | null> {
  if (flows.length > MOST_FLOWS) return () => null;
  const awaiting = { org, now: at, evidence };
  const lists = evidence ? listsOfAttestations(table, awaiting) : [listOfTrails(table, awaiting)];
  const window = { from: latestOf(startsAt, minus(at, every + grace)), to: at };
  const { total, entries } = await readEntriesOfFlows(lists, flows, window, { most: MOST_ENTRIES, oldestFirst: false });
  const arrived = evidence
    ? await readAwaited(table, awaiting, entries)
    : entries.map(listedTrail).map(({ flow, entry }) => ({ flow, at: timeOfId(entry) }));
  const found = Map.groupBy(arrived, ({ flow }) => flow);
  const missing = total > MOST_ENTRIES ? null : EPOCH;
  return (flow) => {
    const times = (found.get(flow) ?? []).map((one) => one.at);
    return times.length > 0 ? latestOf(...times) : missing;
  };
}
