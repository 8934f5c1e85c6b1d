import { type FlowId, timeOfId } from '#shared/base/ids.ts';
import { latestOf, type Micros } from '#shared/base/time.ts';
import { listedTrail } from '#shared/evidence/trails/list-trails.ts';
import type { Table } from '#shared/table/table.ts';
import { type FlowSubject, readFlowScope } from '../read-flow-scope.ts';
import { playArrivals } from '../rules/dry-run/play-arrivals.ts';
import type { Past, PlayedSubject } from './past.ts';
import { listsOfAttestations, readAwaited } from './read-awaited.ts';
import { readPastEntries } from './read-past-entries.ts';
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
  const entries = await readPastEntries(listsOfAttestations(table, past), flows.map(idOf), past, 'attestations');
  return byFlow(await readAwaited(table, past, entries));
}

const idOf = ({ id }: FlowSubject): FlowId => id;

const byFlow = (all: readonly { flow: FlowId; at: Micros }[]): Arrivals =>
  new Map(
    [...Map.groupBy(all, ({ flow }) => flow)].map(([flow, ones]) => [
      flow,
      ones.map(({ at }) => at).toSorted((one, other) => one - other),
    ]),
  );
