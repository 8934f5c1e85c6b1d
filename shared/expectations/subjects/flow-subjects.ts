import type { FlowId, OrganizationId } from '#shared/base/ids.ts';
import { EPOCH, latestOf, type Micros } from '#shared/base/time.ts';
import type { Table } from '#shared/table/table.ts';
import { type FlowSubject, readFlowScope } from '../read-flow-scope.ts';
import { arrivalsOf, readArrivals, type StoredArrival } from '../records/arrivals.ts';
import { type Expectation, judgeReports } from '../rules/expectation.ts';
import { type PlacedSubject, pageOf } from './counted-subjects.ts';
import type { SubjectPage, SubjectsFound } from './subject.ts';

/**
 * Lists the flows of an expectation of the kinds `evidence` and `activity`, by name; or the scope as the one subject. Reads the list of
 * flows, the flows with each tag and the latest arrival of all flows at the same time.
 */
export async function findFlows(table: Table, page: SubjectPage): Promise<SubjectsFound> {
  const { org, expectation, now } = page;
  const [flows, arrivals] = await readFlowsAndArrivals(table, org, expectation);
  return pageOf(judgeFlows(expectation, flows, arrivals, now), page);
}

/** Judges the flows of an expectation, in their order; or the scope as the one subject. */
export const judgeFlows = (
  expectation: Expectation,
  flows: readonly FlowSubject[],
  arrivals: Arrivals,
  now: Micros,
): PlacedSubject[] =>
  expectation.per === 'scope'
    ? [judgeScope(expectation, flows, arrivals, now)]
    : flows.map((flow) => judge(expectation, flow, arrivals, now));

const readFlowsAndArrivals = (table: Table, org: OrganizationId, expectation: Expectation) =>
  Promise.all([readFlowScope(table, org, expectation.scope), readArrivals(table, org, arrivalsOf(expectation))]);

type Arrivals = ReadonlyMap<FlowId, StoredArrival>;

function judge(expectation: Expectation, flow: FlowSubject, arrivals: Arrivals, now: Micros): PlacedSubject {
  const met = arrivals.get(flow.id)?.at ?? EPOCH;
  const judged = judgeReports(expectation, { created: flow.created, reported: met }, now);
  return { place: flow.name, subject: { type: 'flow', flow: flow.name }, met, ...judged };
}

/** One flow is enough. A scope was not made at an instant, so it counts from `starts_at`. */
function judgeScope(
  expectation: Expectation,
  flows: readonly FlowSubject[],
  arrivals: Arrivals,
  now: Micros,
): PlacedSubject {
  const met = latestOf(EPOCH, ...flows.map(({ id }) => arrivals.get(id)?.at ?? EPOCH));
  const judged = judgeReports(expectation, { created: EPOCH, reported: met }, now);
  return { place: '', subject: { type: 'scope' }, met, ...judged };
}
