import * as z from 'zod';
import type { EnvironmentId, FlowId, OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import { keyText, type Table, type Write } from '#shared/table/table.ts';
import { deploymentsKey, expandedKey } from './keys.ts';
import { markUpdate } from './marks.ts';

/**
 * How far the relay has expanded an environment's snapshots into their effects, and what it counts as it goes: the one
 * thing among the effects that must not be had twice (design §2.7).
 */

const ExpandedItem = z.object({
  /** The last snapshot whose effects were all had; 0 = none. */
  index: z.number(),
  /** Of the next one: how many of its events were dealt with. */
  done: z.number(),
});
export type Expanded = z.infer<typeof ExpandedItem>;

const NOTHING: Expanded = { index: 0, done: 0 };

export async function readExpanded(table: Table, org: OrganizationId, environment: EnvironmentId): Promise<Expanded> {
  const item = await table.get(expandedKey(org, environment));
  return item ? ExpandedItem.parse(item) : NOTHING;
}

/** How far the snapshots of several environments were expanded, by id: one batch. */
export async function readAllExpanded(
  table: Table,
  org: OrganizationId,
  environments: readonly EnvironmentId[],
): Promise<Map<EnvironmentId, Expanded>> {
  const found = await table.getMany(environments.map((id) => expandedKey(org, id)));
  return new Map(
    environments.map((id) => {
      const item = found.get(keyText(expandedKey(org, id)));
      return [id, item ? ExpandedItem.parse(item) : NOTHING];
    }),
  );
}

/** Puts a new place over the one that was read. */
const moveWrite = <R>(
  org: OrganizationId,
  environment: EnvironmentId,
  from: Expanded,
  to: Expanded,
  moved: () => R,
): Write<R> => ({
  put: { ...expandedKey(org, environment), v: 1, ...to },
  // Before the first snapshot was expanded nothing may be there.
  ConditionExpression: `${from.index === 0 && from.done === 0 ? 'attribute_not_exists(pk) OR ' : ''}(#index = :index AND done = :done)`,
  ExpressionAttributeNames: { '#index': 'index' },
  ExpressionAttributeValues: { ':index': from.index, ':done': from.done },
  refused: moved,
});

const moved = () => 'moved' as const;

/** Notes how many events of the next snapshot were dealt with. @returns `moved` where somebody else came further */
export const notePiece = (
  table: Table,
  org: OrganizationId,
  environment: EnvironmentId,
  from: Expanded,
  done: number,
): Promise<'done' | 'moved'> => table.write(moveWrite(org, environment, from, { ...from, done }, moved));

/** `20261121`: the day of an instant, in UTC. */
export const dayOf = (at: Micros): string => new Date(at / 1000).toISOString().slice(0, 10).replaceAll('-', '');

export const DeploymentsItem = z.object({
  /** By id of the flow; `-` counts what no flow vouches for. An artifact of two flows counts in both. */
  counts: z.record(z.string(), z.number()),
  /** How many artifacts started that day. */
  all: z.number(),
});
/** How many artifacts started in an environment on one day. */
export type Deployments = z.infer<typeof DeploymentsItem>;

const NO_FLOW = '-';

/** Counts one more artifact that started. @param flows ids of those that vouch for it */
export function countDeployment({ counts, all }: Deployments, flows: readonly FlowId[]): Deployments {
  const added = { ...counts };
  for (const flow of new Set(flows.length === 0 ? [NO_FLOW] : flows)) added[flow] = (added[flow] ?? 0) + 1;
  return { counts: added, all: all + 1 };
}

/**
 * Ends the expansion of the next snapshot: the place moves on, deployments are counted, and the environment's mark is
 * raised, so that the next report knows evidence that came in before anybody could know what runs (design §5) — all or
 * nothing, and so once.
 * @param starts per artifact that started: the flows that vouch for it
 * @param isReported whether anything reports to the environment, so that marks matter
 */
export async function noteExpanded(
  table: Table,
  org: OrganizationId,
  environment: EnvironmentId,
  from: Expanded,
  { at, starts, isReported }: { at: Micros; starts: readonly (readonly FlowId[])[]; isReported: boolean },
): Promise<'done' | 'moved'> {
  const key = deploymentsKey(org, environment, dayOf(at));
  // Whoever counts on this item moves the place, too: what is read here is what is replaced, or the place has moved.
  const item = starts.length > 0 ? await table.get(key) : undefined;
  const before = item ? DeploymentsItem.parse(item) : { counts: {}, all: 0 };
  const counted = starts.reduce<Deployments>(countDeployment, before);
  return table.transact<'moved'>([
    moveWrite(org, environment, from, { index: from.index + 1, done: 0 }, moved),
    ...(starts.length > 0 ? [{ put: { ...key, v: 1, ...counted } }] : []),
    ...(isReported ? [markUpdate(org, environment)] : []),
  ]);
}
