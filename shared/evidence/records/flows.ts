import * as z from 'zod';
import { FlowId, type OrganizationId, storedId } from '#shared/base/ids.ts';
import { memoryOf } from '#shared/base/memory.ts';
import type { Micros } from '#shared/base/time.ts';
import { readBody, StoredBody } from '#shared/bodies/bodies.ts';
import type { Objects } from '#shared/bodies/objects.ts';

import { type Activity, readDerived } from '#shared/series/activity.ts';
import { activityKey } from '#shared/series/keys.ts';
import { readTags } from '#shared/series/tag-items.ts';
import type { Unreadable } from '#shared/series/unreadable.ts';
import { type Item, keyText, type Table } from '#shared/table/table.ts';
import { flowFactsKey, flowHeadKey, flowNameKey, flowPartition, flowTagPartition, flowTagsKey } from './keys.ts';

/** What writers need of a flow. `name` is the present one; aliases are name items that hold the id. */
export const FlowHead = z.object({
  id: FlowId,
  name: z.string(),
  /** Digest of the template's text in the shared bodies; null = never given, evaluated as empty. */
  template: z.string().nullable(),
  created: z.number(),
  by: z.string(),
  archived: z.number().nullable(),
  /** Counts the changes: writers state the one they saw. */
  rev: z.number(),
});
export type FlowHead = z.infer<typeof FlowHead>;

/** What only readers need. `template` is what was uploaded: YAML text, or the list of the legacy form. */
export const FlowFacts = z.object({
  description: z.string(),
  visibility: z.string(),
  template: z.union([z.string(), z.array(z.string())]),
});
export type FlowFacts = z.infer<typeof FlowFacts>;

export const NO_FACTS: FlowFacts = { description: '', visibility: 'private', template: '' };

const FlowName = z.object({ flow: FlowId, current: z.boolean() });
/** `rev` counts the writes of the item: whoever changes the facts states the one that was read. */
const FactsItem = z.object({ facts: StoredBody, rev: z.number() });

export interface Flow {
  head: FlowHead;
  facts: FlowFacts;
  /** How often the facts were written; 0 = never. */
  factsRev: number;
  tags: Record<string, string>;
  /** What the relay derived last: time and state of the most recently active trail. */
  activity: Activity | null;
  /** When something of it last started to run in an environment, as the relay derived it. */
  deployed: Micros | null;
}

/** An archived flow's name is longer than a flow's may be; beyond this nothing can be there. */
const LONGEST_NAME = 300;
const NAME = /^[a-zA-Z0-9][a-zA-Z0-9.\-_~]*$/;

/** Whether anything can have this name: others are unknown without a look, and never enter a key (semantics §1.2). */
export const isPlausibleName = (name: string): boolean => name.length <= LONGEST_NAME && NAME.test(name);

/** Names that led to a flow before. A hint is believed only if the flow read by it still has that very name. */
const hints = memoryOf<FlowId>('flow name');

export const flowHint = (org: OrganizationId, name: string): FlowId | undefined => hints.get(`${org}#${name}`);
export const forgetFlowHint = (org: OrganizationId, name: string): void => hints.forget(`${org}#${name}`);

function remember(org: OrganizationId, head: FlowHead): FlowHead {
  hints.set(`${org}#${head.name}`, head.id);
  return head;
}

/**
 * A flow's head by name: the present name of a flow, or an alias of one that is not archived. An archived flow is found
 * under its long name only, with `archived` set (semantics §14).
 */
export async function findFlow(table: Table, org: OrganizationId, name: string): Promise<FlowHead | null> {
  if (!isPlausibleName(name)) return null;
  const hinted = flowHint(org, name);
  if (hinted !== undefined) {
    const head = await readHead(table, org, hinted);
    if (head && believes(head, name)) return head;
    forgetFlowHint(org, name);
  }
  const holder = await readFlowName(table, org, name);
  if (!holder) return null;
  return acceptHead(org, name, await readHead(table, org, holder.flow));
}

/** Whether a head read by a remembered name → id still answers to that name. */
export const believes = (head: FlowHead, name: string): boolean => head.name === name;

/**
 * The head that a name's item led to. An archived flow answers to its long name alone: its aliases are free, and so is
 * the name that it had if it was archived between the two reads.
 */
export function acceptHead(org: OrganizationId, name: string, head: FlowHead | null): FlowHead | null {
  if (!head || (head.archived !== null && head.name !== name)) return null;
  return remember(org, head);
}

export async function readFlowName(
  table: Table,
  org: OrganizationId,
  name: string,
): Promise<{ flow: FlowId; current: boolean } | null> {
  if (!isPlausibleName(name)) return null;
  const item = await table.get(flowNameKey(org, name));
  return item ? FlowName.parse(item) : null;
}

export async function readHead(table: Table, org: OrganizationId, flow: FlowId): Promise<FlowHead | null> {
  const item = await table.get(flowHeadKey(org, flow));
  return item ? FlowHead.parse(item) : null;
}

/**
 * Everything of a flow by name, found as {@link findFlow} finds it: the name, then the flow; the flow at once where a
 * remembered name led to it (design §5).
 */
export async function readFlowByName(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  name: string,
): Promise<Flow | null> {
  if (!isPlausibleName(name)) return null;
  const hinted = flowHint(org, name);
  if (hinted !== undefined) {
    const flow = await readFlow(table, objects, org, hinted);
    if (flow && believes(flow.head, name)) return flow;
    forgetFlowHint(org, name);
  }
  const holder = await readFlowName(table, org, name);
  const flow = holder && (await readFlow(table, objects, org, holder.flow));
  return flow && acceptHead(org, name, flow.head) ? flow : null;
}

/** Everything of a flow whose id is known. */
export async function readFlow(table: Table, objects: Objects, org: OrganizationId, id: FlowId): Promise<Flow | null> {
  const [items, activity] = await Promise.all([
    table.query({ pk: flowPartition(org, id) }),
    table.get(activityKey(org, 'flow', id)),
  ]);
  const by = new Map(items.map((item) => [item.sk, item]));
  const head = by.get('HEAD');
  return head ? assemble(objects, org, head, by.get('FACTS'), by.get('TAGS'), activity) : null;
}

/** The present names of flows, by id: what is read today shows the name of today (design §3, «Names»). */
export async function readFlowNames(
  table: Table,
  org: OrganizationId,
  flows: readonly FlowId[],
): Promise<Map<FlowId, string>> {
  const found = await table.getMany(flows.map((id) => flowHeadKey(org, id)));
  return new Map([...found.values()].map((item) => FlowHead.parse(item)).map(({ id, name }) => [id, name]));
}

/** Everything of many flows, in the order asked; those that are not there are left out. */
export async function readFlows(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  flows: readonly { id: FlowId; activity: Item | undefined }[],
): Promise<(Flow | Unreadable<FlowId>)[]> {
  const keys = flows.flatMap(({ id }) => [flowHeadKey(org, id), flowFactsKey(org, id), flowTagsKey(org, id)]);
  const found = await table.getMany(keys);
  const read = await Promise.all(
    flows.map(async ({ id, activity }) => {
      const head = found.get(keyText(flowHeadKey(org, id)));
      if (!head) return undefined;
      const facts = found.get(keyText(flowFactsKey(org, id)));
      const tags = found.get(keyText(flowTagsKey(org, id)));
      return assemble(objects, org, head, facts, tags, activity).catch((unreadable: unknown) => ({ id, unreadable }));
    }),
  );
  return read.filter((flow) => flow !== undefined);
}

async function assemble(
  objects: Objects,
  org: OrganizationId,
  head: Item,
  factsItem: Item | undefined,
  tags: Item | undefined,
  activity: Item | undefined,
): Promise<Flow> {
  const { facts, rev } = factsItem ? FactsItem.parse(factsItem) : { facts: undefined, rev: 0 };
  return {
    head: FlowHead.parse(head),
    facts: facts ? await readFacts(objects, org, facts) : NO_FACTS,
    factsRev: rev,
    tags: readTags(tags),
    ...readDerived(activity),
  };
}

async function readFacts(objects: Objects, org: OrganizationId, body: StoredBody): Promise<FlowFacts> {
  const text = await readBody(objects, org, body);
  return text === null ? NO_FACTS : FlowFacts.parse(JSON.parse(text));
}

/** Flows that have a tag with a value; at most `limit`. */
export async function findFlowsByTag(
  table: Table,
  org: OrganizationId,
  key: string,
  value: string,
  limit: number,
): Promise<FlowId[]> {
  if (Buffer.byteLength(key) > 128) return [];
  const items = await table.query({ pk: flowTagPartition(org, key, value), limit });
  return items.map(({ sk }) => storedId(sk));
}
