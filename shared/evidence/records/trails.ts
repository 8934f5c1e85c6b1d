import type { FlowId, OrganizationId, TrailId } from '#shared/base/ids.ts';
import type { FlowName, TrailName } from '#shared/base/names.ts';
import { retrying } from '#shared/base/retry.ts';
import { readBody } from '#shared/bodies/bodies.ts';
import type { Erasure } from '#shared/bodies/erasure.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import { readEach } from '#shared/table/read-each.ts';
import { type Item, type Key, keyText, type Range, type Table } from '#shared/table/table.ts';
import { sumOfSlots, type TrailState } from '../rules/trail-state.ts';
import type { TrailPlace } from './artifact-trails.ts';
import { type FlowHead, headOf, isPlausibleName, namedFlows, readHead } from './flows.ts';
import {
  flowHeadKey,
  momentPartition,
  TRAIL_STATE_RANGE,
  TRAIL_SUMMARY_RANGE,
  trailFieldsKey,
  trailHeadKey,
  trailPartition,
} from './keys.ts';
import { type Moment, readAllMoments } from './moments.ts';
import { FieldsItem, isPresentFields, readHeadItem, readTrailItems, type TrailHead } from './trail-items.ts';

interface HeadAndState {
  head: TrailHead;
  state: TrailState;
}

/** The flow and the trail as a writer reads them before it decides; each is null if it does not exist. */
export interface Situation {
  flow: FlowHead | null;
  trail: HeadAndState | null;
  /** The trail's own fields; null if they were not requested or never given. */
  fields: PresentFields | null;
}

interface PresentFields {
  /** JSON text; null if it was erased. */
  text: string | null;
  /** What is stored of this version when another replaces it. */
  replaced: { digest: string; number: number; body: unknown };
}

/** A trail that a writer names. */
export interface TrailTarget {
  flow: FlowName;
  trail: TrailName;
  /** The ids of an existing flow and trail. With ids the flow is found under any name, and also if it is archived. */
  ids?: { flow: FlowId; trail: TrailId } | undefined;
}

/**
 * Reads the flow by name, and the trail with everything that decides its verdict: two sequential reads, or one with a
 * hint or an id (rules/storage.md#sequential-calls). The trail is read strongly consistently, in one Query.
 *
 * @param options `fields` reads the trail's own fields as well
 * @throws Error if the target has ids and the trail with these ids does not exist
 * @throws Contention if writers came in between for 20 seconds (rules/trails.md#torn-reads)
 */
export async function readSituation(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  { flow: name, trail, ids }: TrailTarget,
  options: { fields?: boolean } = {},
): Promise<Situation> {
  const nothing: Situation = { flow: null, trail: null, fields: null };
  if (!isPlausibleName(name) || !isPlausibleName(trail)) return nothing;
  const readState = (id: FlowId) =>
    Promise.all([
      table.query({ pk: trailPartition(org, id, trail), ...TRAIL_STATE_RANGE }),
      options.fields ? readPresentFields(table, objects, org, id, trail) : null,
    ]);
  return retrying(async () => {
    const { flow, beside: read } = ids
      ? await readBesideFlowId(table, org, ids.flow, readState)
      : await readBesideFlow(table, org, name, readState);
    const found = read && readTrailItems(read[0]);
    if (ids && found?.head.id !== ids.trail) throw new Error(`Flow ${ids.flow} has no trail ${ids.trail}`);
    if (!read || !found) return { ...nothing, flow };
    const [, fields] = read;
    const isOtherFields = options.fields && (fields?.replaced.digest ?? null) !== found.head.fields;
    return isTorn(found) || isOtherFields ? 'again' : { flow, trail: found, fields };
  });
}

/**
 * Reads the head and the state of a trail by the id of its flow.
 *
 * @throws Contention if writers came in between for 20 seconds (rules/trails.md#torn-reads)
 */
export async function readTrailState(
  table: Table,
  org: OrganizationId,
  flow: FlowId,
  trail: TrailName,
): Promise<HeadAndState | null> {
  if (!isPlausibleName(trail)) return null;
  return retrying(async () => {
    const read = readTrailItems(await table.query(stateRange(org, { flow, trail })));
    return read && isTorn(read) ? 'again' : read;
  });
}

/** Reads {@link readTrailState} of many stored trails, in their order. A torn read of a trail is repeated alone. */
export async function readTrailStates(table: Table, org: OrganizationId, places: readonly TrailPlace[]) {
  const found = await table.queryEach(places.map((place) => stateRange(org, place)));
  const states = found.map(readTrailItems);
  const torn = [...places.entries()].filter(([i]) => states[i] && isTorn(states[i]));
  await readEach(torn, async ([i, { flow, trail }]) => {
    states[i] = await readTrailState(table, org, flow, trail);
  });
  return states;
}

const stateRange = (org: OrganizationId, { flow, trail }: TrailPlace): Range => ({
  pk: trailPartition(org, flow, trail),
  ...TRAIL_STATE_RANGE,
});

/**
 * Reads a flow by name and, in parallel, something that needs the flow's id. With a hint both reads start at once;
 * without one they follow the read of the name (rules/storage.md#sequential-calls).
 *
 * @param read the parallel read; with an outdated hint it runs twice, and the first result is discarded
 * @returns the result of `read` as `beside`; null for both if the flow does not exist
 */
export const readBesideFlow = <T>(
  table: Table,
  org: OrganizationId,
  name: FlowName,
  read: (flow: FlowId) => Promise<T>,
): Promise<FlowWith<T>> => readFlowWith(table, org, name, (id) => Promise.all([readHead(table, org, id), read(id)]));

/** Does the same as {@link readBesideFlow} for items by their keys. Reads them and the head of the flow with one call. */
export const readItemsBesideFlow = (
  table: Table,
  org: OrganizationId,
  name: FlowName,
  keysOf: (flow: FlowId) => readonly Key[],
): Promise<FlowWith<Map<string, Item>>> =>
  readFlowWith(table, org, name, async (id) => {
    const headKey = flowHeadKey(org, id);
    const items = await table.getMany([headKey, ...keysOf(id)]);
    return [headOf(items.get(keyText(headKey))), items];
  });

type FlowWith<T> = { flow: FlowHead; beside: T } | { flow: null; beside: null };

/**
 * Does the same as {@link readBesideFlow} with one read for both.
 * @param read reads something of a flow by the flow's id, and the head of the flow
 */
export async function readFlowWith<T>(
  table: Table,
  org: OrganizationId,
  name: FlowName,
  read: (flow: FlowId) => Promise<[FlowHead | null, T]>,
): Promise<FlowWith<T>> {
  const readBoth = async (id: FlowId) => {
    const [flow, beside] = await read(id);
    return flow && { flow, beside };
  };
  return (await namedFlows.read(table, org, name, readBoth, ({ flow }) => flow)) ?? { flow: null, beside: null };
}

/** Reads a flow by its id and, in parallel, something else of the flow. Both are null if the flow does not exist. */
export async function readBesideFlowId<T>(
  table: Table,
  org: OrganizationId,
  id: FlowId,
  read: (flow: FlowId) => Promise<T>,
): Promise<FlowWith<T>> {
  const [flow, beside] = await Promise.all([readHead(table, org, id), read(id)]);
  return flow ? { flow, beside } : { flow: null, beside: null };
}

/**
 * Whether head and slots were read before and after a write. A Query is no snapshot, and a transaction may become visible item
 * by item: a slot can be newer than the head, or older (rules/trails.md#torn-reads).
 */
export const isTorn = ({ head, state }: HeadAndState): boolean =>
  [...state.attestations.values(), ...state.artifacts.values()].some(({ number }) => number > head.number) ||
  (head.slots !== undefined && head.slots !== sumOfSlots(state));

async function readPresentFields(table: Table, objects: Objects, org: OrganizationId, flow: FlowId, trail: TrailName) {
  const item = await table.get(trailFieldsKey(trailPartition(org, flow, trail)));
  if (!item) return null;
  const replaced = FieldsItem.parse(item);
  return { text: await readBody(objects, org, replaced.body), replaced };
}

/**
 * Reads a flow by name and the moments of its trail; `moments` is null if the trail does not exist.
 *
 * @throws RecordGone if a moment before the last is missing
 */
export async function readTrailMoments(
  table: Table,
  org: OrganizationId,
  target: { flow: FlowName; trail: TrailName },
): Promise<{ flow: FlowHead | null; moments: Moment[] | null }> {
  if (!isPlausibleName(target.flow)) return { flow: null, moments: null };
  const { flow, beside: items } = await readBesideFlow(table, org, target.flow, async (id) =>
    isPlausibleName(target.trail) ? table.query({ pk: momentPartition(org, id, target.trail) }) : [],
  );
  return { flow, moments: items && items.length > 0 ? readAllMoments(items) : null };
}

/** Reads the heads of trails, 100 with one call, in the order of `places`; undefined for those that there are not. */
export async function readTrailHeads(table: Table, org: OrganizationId, places: readonly TrailPlace[]) {
  const keys = places.map(({ flow, trail }) => trailHeadKey(trailPartition(org, flow, trail)));
  const found = await table.getMany(keys);
  return keys.map((key) => {
    const item = found.get(keyText(key));
    return item && readHeadItem(item);
  });
}

/** Reads the head of a trail by the id of its flow. */
export async function readTrailHead(table: Table, org: OrganizationId, flow: FlowId, trail: TrailName) {
  if (!isPlausibleName(trail)) return null;
  const item = await table.get(trailHeadKey(trailPartition(org, flow, trail)));
  return item ? readHeadItem(item) : null;
}

export interface TrailSummary<P extends TrailPlace> {
  place: P;
  head: TrailHead;
  /** JSON text of the trail's own fields. */
  fields: string | null;
  /** Present if the own fields were erased. */
  erased: Erasure | undefined;
}

type PlacedHead<P extends TrailPlace> = Pick<TrailSummary<P>, 'place' | 'head'>;

interface Wanted<P extends TrailPlace> {
  /** Chooses the trails that are wanted, in their order. */
  choose: <H extends PlacedHead<P>>(heads: readonly H[]) => Promise<readonly H[]>;
  /** Most results. */
  limit: number;
}

/**
 * Reads heads and fields of many trails, in the order of `trails`. Missing trails are left out.
 *
 * @param wanted which trails are wanted; long fields of other trails are not read from the bucket
 */
export async function readTrailSummaries<P extends TrailPlace>(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  trails: readonly P[],
  { choose, limit }: Wanted<P> = { choose: async (heads) => heads, limit: trails.length },
): Promise<TrailSummary<P>[]> {
  const found = await table.queryEach(
    trails.map(({ flow, trail }) => ({ pk: trailPartition(org, flow, trail), ...TRAIL_SUMMARY_RANGE })),
  );
  const heads = trails.flatMap((place, i) => {
    const items = found[i] ?? [];
    const head = items.find(({ pk, sk }) => sk === trailHeadKey(pk).sk);
    return head ? [{ place, items, head: readHeadItem(head) }] : [];
  });
  const chosen = (await choose(heads)).slice(0, limit);
  return Promise.all(
    chosen.map(async ({ place, items, head }) => {
      const fields = items.find(isPresentFields);
      const body = fields && FieldsItem.parse(fields).body;
      const text = body ? await readBody(objects, org, body) : null;
      return { place, head, fields: text, erased: body?.erased };
    }),
  );
}
