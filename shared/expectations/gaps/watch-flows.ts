import { type FlowId, type OrganizationId, timeOfId } from '#shared/base/ids.ts';
import { EPOCH, type Micros } from '#shared/base/time.ts';
import { namedFlows } from '#shared/evidence/records/flows.ts';
import type { Table } from '#shared/table/table.ts';
import { type FlowSubject, readFlowScopes } from '../read-flow-scope.ts';
import {
  type ArrivalSort,
  arrivalsOf,
  noArrivalSince,
  readArrival,
  readArrivalsOf,
  type StoredArrival,
} from '../records/arrivals.ts';
import type { Expectation } from '../rules/expectation.ts';
import { type Arrival, idInSubjectKey } from '../rules/gaps/gap.ts';
import { mergedArrivals } from '../rules/gaps/merged-arrivals.ts';
import type { Watch, Watched } from './watched.ts';

/** Flows and whole scopes as the subjects of expectations about evidence and activity. */

/**
 * Reads the list of flows, the flows with each tag, and for each sort of arrival the latest ones of all flows. Each of them is
 * read once, however many expectations need it.
 */
export async function watchFlows(
  table: Table,
  org: OrganizationId,
  expectations: readonly Expectation[],
): Promise<Watch> {
  const [flowsOf, latestOf] = await Promise.all([
    readFlowScopes(
      table,
      org,
      expectations.map(({ scope }) => scope),
    ),
    readArrivalsOf(table, org, expectations),
  ]);
  return {
    of: (expectation) => {
      const sort = arrivalsOf(expectation);
      const found = latestOf(expectation);
      const subjects = flowsOf(expectation.scope).map((flow) => ({ flow, arrival: found.get(flow.id) }));
      if (expectation.per === 'scope') return [watchedScope(table, org, expectation, subjects)];
      return subjects.map((one) => watchedFlow(table, org, sort, one));
    },
    readGone: async (subject) => {
      const id = idInSubjectKey<FlowId>('flow', subject);
      // Without its expectation nothing says what would have come in a scope.
      if (id === null) return { arrivals: [], archivedAt: null };
      const head = (await namedFlows.readHeads(table, org, [id])).get(id);
      return { arrivals: [], archivedAt: head?.archived ?? null };
    },
  };
}

/** Reads the subject of one expectation that a flow belongs to: the flow, or the whole scope. Null if it belongs to none. */
export async function readWatchedFlow(
  table: Table,
  org: OrganizationId,
  expectation: Expectation,
  flow: FlowId | null,
): Promise<Watched | null> {
  if (flow === null) return (await watchFlows(table, org, [expectation])).of(expectation)[0] ?? null;
  const sort = arrivalsOf(expectation);
  const [heads, arrival] = await Promise.all([
    namedFlows.readHeads(table, org, [flow]),
    readArrival(table, org, sort, flow),
  ]);
  const head = heads.get(flow);
  if (!head || head.archived !== null) return null;
  return watchedFlow(table, org, sort, { flow: { id: flow, name: head.name, created: timeOfId(flow) }, arrival });
}

interface FlowArrival {
  flow: FlowSubject;
  arrival: StoredArrival | undefined;
}

const watchedFlow = (table: Table, org: OrganizationId, sort: ArrivalSort, one: FlowArrival): Watched => ({
  subject: { type: 'flow', id: one.flow.id, name: one.flow.name },
  created: one.flow.created,
  arrivals: one.arrival?.times ?? [],
  readArrivals: async () => (at) => arrivalAt(at, [one]),
  guard: () => [noArrivalSince(org, sort, one.flow.id, one.arrival)],
  again: async () =>
    watchedFlow(table, org, sort, { flow: one.flow, arrival: await readArrival(table, org, sort, one.flow.id) }),
});

/**
 * One flow is enough. A scope has more flows than a transaction can check, so a gap can be stored although something came in the
 * same second: the next look ends it.
 */
const watchedScope = (
  table: Table,
  org: OrganizationId,
  expectation: Expectation,
  flows: readonly FlowArrival[],
): Watched => ({
  subject: { type: 'scope' },
  created: EPOCH,
  arrivals: mergedArrivals(flows.map(({ arrival }) => arrival?.times ?? [])),
  readArrivals: async () => (at) => arrivalAt(at, flows),
  guard: () => [],
  again: () => readWatchedFlow(table, org, expectation, null),
});

/** Returns an arrival as a gap names it. Only the latest one of each flow is known with its moment. */
function arrivalAt(at: Micros, flows: readonly FlowArrival[]): Arrival | null {
  if (at === EPOCH) return null;
  const found = flows.find(({ arrival }) => arrival?.at === at);
  const { trail, number } = found?.arrival ?? {};
  if (!found || trail === undefined || number === undefined) return { at, shown: null };
  const { id, name } = found.flow;
  return { at, shown: { type: 'moment', flow: { id, name }, trail, number } };
}
