import * as z from 'zod';
import { FlowId, type OrganizationId, storedId } from '#shared/base/ids.ts';
import { AnyFlowName, type FlowName } from '#shared/base/names.ts';
import { type Micros, StoredMicros } from '#shared/base/time.ts';
import { readBody, StoredBody } from '#shared/bodies/bodies.ts';
import { Erasure } from '#shared/bodies/erasure.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import { type Activity, ActivityItem, readActivity, recordInstant } from '#shared/series/activity.ts';
import { activityKey } from '#shared/series/keys.ts';
import { readTags } from '#shared/series/tag-items.ts';
import type { Unreadable } from '#shared/series/unreadable.ts';
import { bySortKey } from '#shared/table/items.ts';
import { NamedRecords } from '#shared/table/named-records.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { FLOWS } from '../rules/series-kinds.ts';
import { flowFactsKey, flowHeadKey, flowNameKey, flowPartition, flowTagPartition } from './keys.ts';

/** The part of a flow that writers need. `name` is the present name. Aliases are name items that hold the flow's id. */
export const FlowHead = z.object({
  id: FlowId,
  name: AnyFlowName,
  /** Digest of the template's text in the shared bodies; null is the empty template. */
  template: z.string().nullable(),
  created: StoredMicros,
  by: z.string(),
  archived: StoredMicros.nullable(),
  /** Number of changes. A writer's condition names the number that it read. */
  rev: z.number(),
});
export type FlowHead = z.infer<typeof FlowHead>;

/** The part of a flow that only readers need. `template` is the upload: YAML text, or the list of the legacy form. */
export const FlowFacts = z.object({
  description: z.string(),
  visibility: z.string(),
  template: z.union([z.string(), z.array(z.string())]),
});
export type FlowFacts = z.infer<typeof FlowFacts>;

export const NO_FACTS: FlowFacts = { description: '', visibility: 'private', template: '' };

/** The stored facts. `rev` is the number of writes of the item. A writer's condition names the number that it read. */
export const FactsItem = z.object({ facts: StoredBody, rev: z.number(), erased: Erasure.optional() });

/** How exports show flows and their facts. */
export const SHOWN_FLOW = { item: 'flow', schema: FlowHead };
export const SHOWN_FACTS = { item: 'facts', schema: FactsItem };

export interface Flow {
  head: FlowHead;
  facts: FlowFacts;
  /** The facts as they are stored; null if there are none. */
  factsItem: z.infer<typeof FactsItem> | null;
  /** Present if the description was erased and nobody gave another one since. */
  erased?: Erasure | undefined;
  tags: Record<string, string>;
  /** Time and state of the flow's newest moment, as far as the relay has derived them (rules/flows.md#activity). */
  activity: Activity | null;
  /** When an artifact of the flow last started to run in an environment, as far as the relay has derived it. */
  deployed: Micros | null;
}

/** The long name of an archived flow has more than the 255 characters of other names, but never more than these. */
const LONGEST_NAME = 300;
const NAME = /^[a-zA-Z0-9][a-zA-Z0-9.\-_~]*$/;

/**
 * Whether a flow or a trail can have this name. Other names are unknown without a read, because they must not become
 * parts of keys (rules/flows.md#flow-names).
 */
export const isPlausibleName = (name: string): boolean => name.length <= LONGEST_NAME && NAME.test(name);

/** How flows are found by name. */
export const namedFlows = new NamedRecords<FlowId, FlowName, FlowHead>({
  kind: 'flow',
  id: FlowId,
  head: FlowHead,
  nameKey: flowNameKey,
  headKey: flowHeadKey,
  isName: isPlausibleName,
  // The aliases of an archived flow are free. A flow may also have been archived between the two reads.
  leadsTo: ({ archived, name: present }, name) => archived === null || present === name,
});

/**
 * Finds the head of a flow by name: its present name, or an alias of a flow that is not archived. An archived flow is
 * found by its long name only, with `archived` set (rules/flows.md#aliases).
 */
export const findFlow = (table: Table, org: OrganizationId, name: FlowName): Promise<FlowHead | null> =>
  namedFlows.find(table, org, name);

/** Finds the heads of flows by names, like {@link findFlow}; unknown names are left out. Costs two batches. */
export async function findFlowHeads(table: Table, org: OrganizationId, names: readonly FlowName[]) {
  const ids = await namedFlows.findIds(table, org, names);
  const heads = await namedFlows.readHeads(table, org, [...new Set(ids.values())]);
  const found = new Map<FlowName, FlowHead>();
  for (const [name, id] of ids) {
    const head = heads.get(id);
    if (head) found.set(name, head);
  }
  return found;
}

export const readHead = (table: Table, org: OrganizationId, flow: FlowId): Promise<FlowHead | null> =>
  namedFlows.readHead(table, org, flow);

export const headOf = (item: Item | undefined): FlowHead | null => namedFlows.headIn(item);

/** Reads everything of a flow by name, as {@link findFlow} finds it. */
export const readFlowByName = (table: Table, objects: Objects, org: OrganizationId, name: FlowName) =>
  namedFlows.read(
    table,
    org,
    name,
    (id) => readFlow(table, objects, org, id),
    ({ head }) => head,
  );

/** Reads everything of a flow by its id. */
async function readFlow(table: Table, objects: Objects, org: OrganizationId, id: FlowId): Promise<Flow | null> {
  const [items, activity] = await Promise.all([
    table.query({ pk: flowPartition(org, id) }),
    table.get(activityKey(org, FLOWS.name, id)),
  ]);
  return assemble(objects, org, items, activity);
}

/** Reads the present names of flows, by id. Answers show the present name (rules/flows.md#aliases). */
export async function readFlowNames(table: Table, org: OrganizationId, flows: readonly FlowId[]) {
  return flowNamesIn(org, flows, await table.getMany(flows.map((id) => flowHeadKey(org, id))));
}

/** Returns the present names of flows whose heads were read. */
export const flowNamesIn = (org: OrganizationId, flows: readonly FlowId[], found: ReadonlyMap<string, Item>) =>
  new Map([...flowHeadsIn(org, flows, found)].map(([id, { name }]) => [id, name]));

/** Returns the heads of flows that were read, by id. */
export const flowHeadsIn = (org: OrganizationId, flows: readonly FlowId[], found: ReadonlyMap<string, Item>) =>
  namedFlows.headsIn(org, flows, found);

/**
 * Reads everything of many flows, in the order of `flows`. Missing flows are left out; a flow that cannot be read
 * becomes a placeholder.
 */
export async function readFlows(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  flows: readonly { id: FlowId; activity: Item | undefined }[],
): Promise<(Flow | Unreadable<FlowId>)[]> {
  const found = await table.queryEach(flows.map(({ id }) => ({ pk: flowPartition(org, id) })));
  const read = await Promise.all(
    flows.map(({ id, activity }, i) =>
      assemble(objects, org, found[i] ?? [], activity).catch((unreadable: unknown) => ({ id, unreadable })),
    ),
  );
  return read.filter((flow) => flow !== null);
}

/** Makes a flow of the items of its partition; null if it has no head. */
async function assemble(objects: Objects, org: OrganizationId, items: readonly Item[], activity: Item | undefined) {
  const by = bySortKey(items);
  const head = by.get('HEAD');
  if (!head) return null;
  const stored = by.get('FACTS');
  const factsItem = stored ? FactsItem.parse(stored) : null;
  return {
    head: FlowHead.parse(head),
    facts: factsItem ? await readFacts(objects, org, factsItem.facts) : NO_FACTS,
    factsItem,
    ...(factsItem?.erased && { erased: factsItem.erased }),
    tags: readTags(by.get('TAGS')),
    ...readDerived(activity),
  };
}

async function readFacts(objects: Objects, org: OrganizationId, body: StoredBody): Promise<FlowFacts> {
  const text = await readBody(objects, org, body);
  return text === null ? NO_FACTS : FlowFacts.parse(JSON.parse(text));
}

/** Reads the stored facts of a flow, for an erasure; null if the flow has none. */
export async function readFlowFacts(table: Table, objects: Objects, org: OrganizationId, flow: FlowId) {
  const stored = await table.get(flowFactsKey(org, flow));
  if (!stored) return null;
  const item = FactsItem.parse(stored);
  return { facts: await readFacts(objects, org, item.facts), item };
}

/** Finds the flows that have a tag with this value; at most `limit`. */
export async function findFlowsByTag(table: Table, org: OrganizationId, key: string, value: string, limit: number) {
  if (Buffer.byteLength(key) > 128) return [];
  const items = await table.query({ pk: flowTagPartition(org, key, value), limit });
  return items.map(({ sk }) => storedId<FlowId>(sk));
}

/** What the relay derives about a flow. Each fact can be known without the other. */
export const DerivedItem = ActivityItem.extend({ deployed: StoredMicros.optional() });

/** Reads the item with derived facts. Without an item nothing is known. */
export function readDerived(item: Item | undefined): Pick<Flow, 'activity' | 'deployed'> {
  if (!item) return { activity: null, deployed: null };
  return { activity: readActivity(item), deployed: DerivedItem.parse(item).deployed ?? null };
}

/** Stores when an artifact of a flow last started to run in an environment. Older instants change nothing. */
export const recordDeployed = (table: Table, org: OrganizationId, flow: FlowId, at: Micros): Promise<boolean> =>
  recordInstant(table, org, FLOWS, flow, 'deployed', at);
