import type { FlowId, Id, OrganizationId } from '#shared/base/ids.ts';
import { readBody } from '#shared/bodies/bodies.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import { readTags } from '#shared/series/tag-items.ts';
import type { Item, Table } from '#shared/table/table.ts';
import type { EventRepo } from '../rules/events.ts';
import type { TrailState } from '../rules/trail-state.ts';
import {
  acceptHead,
  type FlowHead,
  flowHint,
  forgetFlowHint,
  hasPresentName,
  isPlausibleName,
  readFlowName,
  readHead,
} from './flows.ts';
import {
  flowTagsKey,
  momentPartition,
  TRAIL_STATE_RANGE,
  trailFieldsKey,
  trailHeadKey,
  trailPartition,
} from './keys.ts';
import { type Moment, readMoment } from './moments.ts';
import { CommitItem, FieldsItem, readTrailItems, readTrailRepo, TrailHead } from './trail-items.ts';

/** The flow and the trail as a writer reads them before it decides; each is null if it does not exist. */
export interface Situation {
  flow: FlowHead | null;
  trail: { head: TrailHead; state: TrailState } | null;
  /** The trail's own fields; null if they were not requested or never given. */
  fields: PresentFields | null;
}

export interface PresentFields {
  /** JSON text. */
  text: string;
  /** What is stored of this version when another replaces it. */
  replaced: { digest: string; number: number; body: unknown };
}

/**
 * Reads the flow by name, and the trail with everything that decides its verdict: two sequential reads, or one with a
 * hint (rules/storage.md#sequential-calls). The trail is read strongly consistently, in one Query.
 *
 * @param options `fields` reads the trail's own fields as well
 */
export async function readSituation(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  target: { flow: string; trail: string },
  options: { fields?: boolean } = {},
): Promise<Situation> {
  const nothing: Situation = { flow: null, trail: null, fields: null };
  if (!isPlausibleName(target.flow) || !isPlausibleName(target.trail)) return nothing;
  const { flow, beside: read } = await readBesideFlow(table, org, target.flow, (id) =>
    Promise.all([
      table.query({ pk: trailPartition(org, id, target.trail), ...TRAIL_STATE_RANGE }),
      options.fields ? readPresentFields(table, objects, org, id, target.trail) : null,
    ]),
  );
  if (!flow || !read) return { ...nothing, flow };
  const [items, fields] = read;
  return { flow, trail: readTrailItems(items), fields };
}

/** Reads the head and the state of a trail by the id of its flow. */
export async function readTrailState(
  table: Table,
  org: OrganizationId,
  flow: FlowId,
  trail: string,
): Promise<{ head: TrailHead; state: TrailState } | null> {
  if (!isPlausibleName(trail)) return null;
  const read = readTrailItems(await table.query({ pk: trailPartition(org, flow, trail), ...TRAIL_STATE_RANGE }));
  return read && isTorn(read) ? readTrailState(table, org, flow, trail) : read;
}

/**
 * Reads a flow by name and, in parallel, something that needs the flow's id. With a hint both reads start at once;
 * without one they follow the read of the name (rules/storage.md#sequential-calls).
 *
 * @param read the parallel read; with an outdated hint it runs twice, and the first result is discarded
 * @returns the result of `read` as `beside`; null for both if the flow does not exist
 */
export async function readBesideFlow<T>(
  table: Table,
  org: OrganizationId,
  name: string,
  read: (flow: FlowId) => Promise<T>,
): Promise<{ flow: FlowHead; beside: T } | { flow: null; beside: null }> {
  const hinted = flowHint(org, name);
  if (hinted !== undefined) {
    const [flow, beside] = await Promise.all([readHead(table, org, hinted), read(hinted)]);
    if (flow && hasPresentName(flow, name)) return { flow, beside };
    forgetFlowHint(org, name);
  }
  const holder = await readFlowName(table, org, name);
  if (!holder) return { flow: null, beside: null };
  const [head, beside] = await Promise.all([readHead(table, org, holder.flow), read(holder.flow)]);
  const flow = acceptHead(org, name, head);
  return flow ? { flow, beside } : { flow: null, beside: null };
}

/** A trail as readers see it. */
export interface TrailRecord {
  flow: FlowHead;
  flowTags: Record<string, string>;
  head: TrailHead;
  state: TrailState;
  /** JSON texts of the trail's own fields by digest: the present version and all past versions. */
  fields: Map<string, string>;
  /** JSON texts of commits, by the digest that moments name. */
  commits: Map<string, string>;
  repos: Map<Id, EventRepo>;
  moments: Moment[];
}

/**
 * Reads a whole trail: one Query of its partition and, in parallel, one of its moments.
 *
 * @param more a further parallel read that needs the flow's id; its result is `beside`
 */
export async function readTrail<T = null>(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  target: { flow: string; trail: string },
  more?: (flow: FlowId) => Promise<T>,
): Promise<{ flow: FlowHead | null; trail: TrailRecord | null; beside?: T }> {
  if (!isPlausibleName(target.flow) || !isPlausibleName(target.trail)) return { flow: null, trail: null };
  const { flow, beside: items } = await readBesideFlow(table, org, target.flow, (id) =>
    Promise.all([
      table.query({ pk: trailPartition(org, id, target.trail) }),
      table.query({ pk: momentPartition(org, id, target.trail) }),
      table.get(flowTagsKey(org, id)),
      more?.(id),
    ]),
  );
  if (!flow || !items) return { flow, trail: null };
  const [partition, moments, tags, beside] = items;
  const read = readTrailItems(partition);
  if (!read) return { flow, trail: null };
  if (isTorn(read) || isBehind(read.head, partition, moments)) return readTrail(table, objects, org, target, more);
  return {
    flow,
    trail: {
      flow,
      flowTags: readTags(tags),
      ...read,
      fields: await readFields(objects, org, partition),
      commits: await readCommits(objects, org, partition),
      repos: new Map(
        partition.filter(({ sk }) => sk.startsWith('R#')).map((item) => [item.sk.slice(2), readTrailRepo(item)]),
      ),
      // Newer moments than the head are left out, so that everything shows the trail at one instant.
      moments: moments.map(readMoment).filter(({ number }) => number <= read.head.number),
    },
    ...(beside !== undefined && { beside }),
  };
}

/** A Query is no snapshot. A slot with a greater number than the head shows that a writer came in between. */
const isTorn = ({ head, state }: { head: TrailHead; state: TrailState }): boolean =>
  [...state.attestations.values(), ...state.artifacts.values()].some(({ number }) => number > head.number);

/** Whether fields or moments are older than the head: the head names other fields, or the last moment is missing. */
function isBehind(head: TrailHead, partition: readonly Item[], moments: readonly Item[]): boolean {
  const fields = partition.find(({ sk }) => sk === 'F');
  return moments.length < head.number || (fields ? FieldsItem.parse(fields).digest : null) !== head.fields;
}

async function readFields(
  objects: Objects,
  org: OrganizationId,
  partition: readonly Item[],
): Promise<Map<string, string>> {
  const items = partition.filter(({ sk }) => sk === 'F' || sk.startsWith('F#')).map((item) => FieldsItem.parse(item));
  const texts = await Promise.all(
    items.map(async ({ digest, body }) => [digest, await readBody(objects, org, body)] as const),
  );
  return new Map(texts.flatMap(([digest, text]) => (text === null ? [] : [[digest, text]])));
}

async function readCommits(
  objects: Objects,
  org: OrganizationId,
  partition: readonly Item[],
): Promise<Map<string, string>> {
  const texts = await Promise.all(
    partition
      .filter(({ sk }) => sk.startsWith('C#'))
      .map(async (item) => [item.sk.slice(2), await readBody(objects, org, CommitItem.parse(item).body)] as const),
  );
  return new Map(texts.flatMap(([digest, text]) => (text === null ? [] : [[digest, text]])));
}

async function readPresentFields(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  flow: FlowId,
  trail: string,
): Promise<PresentFields | null> {
  const item = await table.get(trailFieldsKey(trailPartition(org, flow, trail)));
  if (!item) return null;
  const replaced = FieldsItem.parse(item);
  return { text: (await readBody(objects, org, replaced.body)) ?? '{}', replaced };
}

/** Reads a flow by name and the moments of its trail; `moments` is null if the trail does not exist. */
export async function readTrailMoments(
  table: Table,
  org: OrganizationId,
  target: { flow: string; trail: string },
): Promise<{ flow: FlowHead | null; moments: Moment[] | null }> {
  if (!isPlausibleName(target.flow)) return { flow: null, moments: null };
  const { flow, beside: items } = await readBesideFlow(table, org, target.flow, async (id) =>
    isPlausibleName(target.trail) ? table.query({ pk: momentPartition(org, id, target.trail) }) : [],
  );
  return { flow, moments: items && items.length > 0 ? items.map(readMoment) : null };
}

/** Reads the head of a trail by the id of its flow. */
export async function readTrailHead(
  table: Table,
  org: OrganizationId,
  flow: FlowId,
  trail: string,
): Promise<TrailHead | null> {
  if (!isPlausibleName(trail)) return null;
  const item = await table.get(trailHeadKey(trailPartition(org, flow, trail)));
  return item ? TrailHead.parse(item) : null;
}

export interface TrailSummary {
  flow: FlowId;
  head: TrailHead;
  /** JSON text of the trail's own fields. */
  fields: string | null;
}

/** Reads heads and fields of many trails, in the order of `trails`. Missing trails are left out. */
export async function readTrailSummaries(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  trails: readonly { flow: FlowId; trail: string }[],
): Promise<TrailSummary[]> {
  const partitions = trails.map(({ flow, trail }) => trailPartition(org, flow, trail));
  const found = await table.getMany(partitions.flatMap((pk) => [trailHeadKey(pk), trailFieldsKey(pk)]));
  const item = (key: { pk: string; sk: string }) => found.get(`${key.pk}\n${key.sk}`);
  const read = await Promise.all(
    trails.map(async ({ flow }, i) => {
      const pk = partitions[i] ?? '';
      const head = item(trailHeadKey(pk));
      if (!head) return undefined;
      const fields = item(trailFieldsKey(pk));
      const body = fields && FieldsItem.parse(fields).body;
      return { flow, head: TrailHead.parse(head), fields: body ? await readBody(objects, org, body) : null };
    }),
  );
  return read.filter((summary) => summary !== undefined);
}
