import { type FlowId, type OrganizationId, storedId, timeOfId } from '#shared/base/ids.ts';
import { type FlowName, storedName } from '#shared/base/names.ts';
import { inParallel } from '#shared/base/parallel.ts';
import type { Micros } from '#shared/base/time.ts';
import { namedFlows } from '#shared/evidence/records/flows.ts';
import { flowTagPartition } from '#shared/evidence/records/keys.ts';
import { FLOWS } from '#shared/evidence/rules/series-kinds.ts';
import { readCatalogue } from '#shared/series/catalogue.ts';
import type { Table } from '#shared/table/table.ts';
import type { Scope } from './rules/expectation.ts';

/** A flow that an expectation is about. */
export interface FlowSubject {
  id: FlowId;
  name: FlowName;
  created: Micros;
}

/**
 * Reads the flows of a scope, by name: those that are not archived. The list of flows and, for tags, the flows with each tag are read
 * at the same time.
 */
export async function readFlowScope(table: Table, org: OrganizationId, scope: Scope): Promise<FlowSubject[]> {
  const [flows, isIn] = await Promise.all([readFlowList(table, org), flowsIn(table, org, scope)]);
  return flows.filter(({ id }) => isIn(id)).toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** Scopes of tags that are read at the same time. */
const WIDTH = 8;

/**
 * Reads the flows of several scopes. The list of flows is read once, and the flows with tags once for each scope.
 *
 * @returns what gives the flows of one of these scopes, in no order
 */
export async function readFlowScopes(
  table: Table,
  org: OrganizationId,
  scopes: readonly Scope[],
): Promise<(scope: Scope) => FlowSubject[]> {
  const different = new Map(scopes.map((scope) => [JSON.stringify(scope), scope]));
  const [flows, inScopes] = await Promise.all([
    readFlowList(table, org),
    inParallel(different, WIDTH, async ([key, scope]) => [key, await flowsIn(table, org, scope)] as const),
  ]);
  const isIn = new Map(inScopes);
  return (scope) => {
    const has = isIn.get(JSON.stringify(scope)) ?? (() => false);
    return flows.filter(({ id }) => has(id));
  };
}

/** Reads the flows of an organization that are not archived. */
async function readFlowList(table: Table, org: OrganizationId): Promise<FlowSubject[]> {
  const catalogue = await readCatalogue(table, org, FLOWS);
  return [...catalogue.values()].map(({ id, entry }) => ({
    id,
    name: storedName<FlowName>(String(entry['n'])),
    created: timeOfId(id),
  }));
}

/** Returns whether a flow is in a scope, whether it is archived or not. Costs a Query per tag. */
async function flowsIn(table: Table, org: OrganizationId, scope: Scope): Promise<(flow: FlowId) => boolean> {
  if ('environments' in scope) return () => false;
  if ('flows' in scope) {
    const named = new Set(scope.flows.map(({ id }) => id));
    return (id) => named.has(id);
  }
  const tagged = await table.queryEach(
    scope.tags.map(({ name, value }) => ({ pk: flowTagPartition(org, name, value) })),
  );
  const sets = tagged.map((items) => new Set(items.map(({ sk }) => storedId<FlowId>(sk))));
  return (id) => sets.every((set) => set.has(id));
}

/** With more flows than one batch has, the list of all flows costs fewer calls than their heads. */
const MOST_HEADS = 100;

/** Reads the present names of flows that are not archived, by id. */
export async function readPresentFlowNames(
  table: Table,
  org: OrganizationId,
  flows: ReadonlySet<FlowId>,
): Promise<ReadonlyMap<FlowId, FlowName>> {
  if (flows.size > MOST_HEADS) {
    const catalogue = await readCatalogue(table, org, FLOWS);
    return new Map([...catalogue.values()].map(({ id, entry }) => [id, storedName(String(entry['n']))]));
  }
  const heads = await namedFlows.readHeads(table, org, [...flows]);
  return new Map([...heads.values()].flatMap(({ id, name, archived }) => (archived === null ? [[id, name]] : [])));
}
