import type { FlowId, Id, OrganizationId } from '#shared/base/ids.ts';
import type { FlowName, TrailName } from '#shared/base/names.ts';
import { isSameDigest, RecordDiffers } from '#shared/base/proofs/record-differs.ts';
import { RecordGone } from '#shared/base/proofs/record-gone.ts';
import { retrying } from '#shared/base/retry.ts';
import { readBody, sha256Hex } from '#shared/bodies/bodies.ts';
import type { Erasure } from '#shared/bodies/erasure.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import { readTags } from '#shared/series/tag-items.ts';
import type { Item, Table } from '#shared/table/table.ts';
import type { TrailState } from '../rules/trail-state.ts';
import { type FlowHead, isPlausibleName } from './flows.ts';
import { flowTagsKey, momentKey, momentPartition, trailPartition } from './keys.ts';
import { type Moment, momentOf, readMoment, stateAsOf } from './moments.ts';
import {
  CommitItem,
  type EventRepo,
  FieldsItem,
  isFields,
  isPresentFields,
  readTrailItems,
  readTrailRepo,
  type TrailHead,
} from './trail-items.ts';
import { isTorn, readBesideFlow, readBesideFlowId } from './trails.ts';

/** A trail as readers see it. */
export interface TrailRecord {
  flow: FlowHead;
  flowTags: Record<string, string>;
  head: TrailHead;
  state: TrailState;
  /** JSON texts of the trail's own fields by digest: the present version and all past versions. */
  fields: Map<string, string>;
  /** Present if the present version of the own fields was erased. */
  erased?: Erasure | undefined;
  /** JSON texts of commits, by the digest that moments name. */
  commits: Map<string, string>;
  repos: Map<Id, EventRepo>;
  moments: Moment[];
}

/**
 * Reads a whole trail by the name of its flow: one Query of its partition and, in parallel, one of its moments.
 *
 * @param more a further parallel read that needs the flow's id; its result is `beside`
 * @throws RecordGone if a moment is missing
 * @throws Contention if writers came in between for 20 seconds (rules/trails.md#torn-reads)
 */
export async function readTrail<T = null>(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  target: { flow: FlowName; trail: TrailName },
  more?: (flow: FlowId) => Promise<T>,
): Promise<{ flow: FlowHead | null; trail: TrailRecord | null; beside?: T }> {
  if (!isPlausibleName(target.flow) || !isPlausibleName(target.trail)) return { flow: null, trail: null };
  return retrying(async () => {
    const { flow, beside: read } = await readBesideFlow(table, org, target.flow, (id) =>
      Promise.all([readParts(table, org, id, target.trail), more?.(id)]),
    );
    if (!flow || !read) return { flow, trail: null };
    const [parts, beside] = read;
    const trail = await assembleTrail(table, objects, org, flow, parts);
    if (trail === 'again') return trail;
    return { flow, trail, ...(trail && beside !== undefined && { beside }) };
  });
}

/**
 * Reads a whole trail by the id of its flow, whatever the flow is called now.
 *
 * @throws RecordGone, Contention as {@link readTrail}
 */
export async function readTrailOfFlow(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  target: { flow: FlowId; trail: TrailName },
): Promise<TrailRecord | null> {
  if (!isPlausibleName(target.trail)) return null;
  return retrying(async () => {
    const { flow, beside: parts } = await readBesideFlowId(table, org, target.flow, (id) =>
      readParts(table, org, id, target.trail),
    );
    return flow && assembleTrail(table, objects, org, flow, parts);
  });
}

/**
 * Computes the trail as it was after a moment (rules/trails.md#as-of-an-instant). The state is folded from the moments by the
 * function that computes live trails.
 *
 * @throws Error if the trail has no such moment
 */
export function asOfMoment(trail: TrailRecord, number: number): TrailRecord {
  const moments = trail.moments.filter((moment) => moment.number <= number);
  const last = moments.at(-1);
  if (!last || last.number !== number) throw new Error(`Moment ${number} of trail ${trail.head.id} does not exist`);
  return { ...trail, moments, state: stateAsOf(moments), head: { ...trail.head, number, at: last.at } };
}

type Parts = [partition: Item[], moments: Item[], tags: Item | undefined];

const readParts = (table: Table, org: OrganizationId, flow: FlowId, trail: TrailName): Promise<Parts> =>
  Promise.all([
    table.query({ pk: trailPartition(org, flow, trail) }),
    table.query({ pk: momentPartition(org, flow, trail) }),
    table.get(flowTagsKey(org, flow)),
  ]);

/** @returns `again` if the parts do not belong together; null if the trail does not exist */
async function assembleTrail(
  table: Table,
  objects: Objects,
  org: OrganizationId,
  flow: FlowHead,
  [partition, stored, tags]: Parts,
): Promise<TrailRecord | null | 'again'> {
  const read = readTrailItems(partition);
  if (!read) return null;
  if (isTorn(read) || isBehind(read.head, partition)) return 'again';
  const missing = missingMoment(read.head, stored);
  if (missing !== null) {
    // The Query of the moments can be older than the head. A moment that is still missing is gone.
    if (await table.get(momentKey(org, flow.id, read.head.name, missing))) return 'again';
    throw new RecordGone(momentOf({ flow: flow.id, trail: read.head.id }, missing));
  }
  // Newer moments than the head are left out, so that everything shows the trail at one instant.
  const moments = stored.map(readMoment).filter(({ number }) => number <= read.head.number);
  requireHeadOf(moments, read.head);
  return {
    flow,
    flowTags: readTags(tags),
    ...read,
    fields: await readFields(objects, org, partition, moments),
    erased: presentFields(partition)?.body.erased,
    commits: await readCommits(objects, org, partition),
    repos: new Map(
      partition.filter(({ sk }) => sk.startsWith('R#')).map((item) => [item.sk.slice(2), readTrailRepo(item)]),
    ),
    moments,
  };
}

/** @throws RecordDiffers if hash or verdict of the head are not those of the last moment */
function requireHeadOf(moments: readonly Moment[], { name, number, hash, word }: TrailHead): void {
  const last = moments.at(-1);
  if (last?.number === number && isSameDigest(last.hash, hash) && last.content.word === word) return;
  throw new RecordDiffers(`head of trail ${name}`, `it is not the one that moment ${number} gives`);
}

/** Whether the fields are older than the head, which names other fields. */
const isBehind = (head: TrailHead, partition: readonly Item[]): boolean =>
  (presentFields(partition)?.digest ?? null) !== head.fields;

/** Returns the number of the first moment up to the head's that is not among the items; null if all are. */
function missingMoment(head: TrailHead, moments: readonly Item[]): number | null {
  const gap = moments.findIndex(({ sk }, i) => Number(sk) !== i + 1);
  const missing = gap < 0 ? moments.length + 1 : gap + 1;
  return missing <= head.number ? missing : null;
}

function presentFields(partition: readonly Item[]) {
  const item = partition.find(isPresentFields);
  return item && FieldsItem.parse(item);
}

async function readFields(
  objects: Objects,
  org: OrganizationId,
  partition: readonly Item[],
  moments: readonly Moment[],
): Promise<Map<string, string>> {
  const items = partition.filter(isFields).map((item) => FieldsItem.parse(item));
  const texts = await Promise.all(
    items.map(async ({ digest, number, body }) => {
      const pledge = moments[number - 1]?.pledges['fields'];
      return [digest, await readBody(objects, org, { ...body, pledge })] as const;
    }),
  );
  return new Map(texts.flatMap(([digest, text]) => (text === null ? [] : [[digest, text]])));
}

async function readCommits(objects: Objects, org: OrganizationId, partition: readonly Item[]) {
  const texts = await Promise.all(
    partition
      .filter(({ sk }) => sk.startsWith('C#'))
      .map(async (item) => {
        const digest = item.sk.slice(2);
        const text = await readBody(objects, org, CommitItem.parse(item).body);
        if (text !== null && !sha256Hex(text).startsWith(digest))
          throw new RecordDiffers(`commit ${digest} of a trail`, 'it does not have its digest');
        return [digest, text] as const;
      }),
  );
  return new Map(texts.flatMap(([digest, text]) => (text === null ? [] : [[digest, text]])));
}
