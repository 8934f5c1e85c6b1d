import type { EnvironmentId, OrganizationId } from '#shared/base/ids.ts';
import type { EnvironmentHead } from '#shared/environments/records/environment-records.ts';
import { readEnvironmentHead, readGroups } from '#shared/environments/records/environments.ts';
import type { RowEvent } from '#shared/environments/records/event-items.ts';
import { type Expanded, noteExpanded, notePiece, readExpanded } from '#shared/environments/records/expanded.ts';
import { readSnapshot } from '#shared/environments/records/snapshots.ts';
import { snapshotEvents } from '#shared/environments/rules/compare.ts';
import { firedTriggers } from '#shared/environments/rules/transitions.ts';
import { deliver } from '#shared/notifications/deliver.ts';
import { type ActionVersions, readActions } from '#shared/notifications/records/actions.ts';
import { appendLogical } from './append-logical.ts';
import { firedDeliveries } from './deliver.ts';
import type { EnvironmentRelay } from './effects-context.ts';
import { rowsOf } from './event-rows.ts';
import { havePiece, reportsOf, runningChanges } from './expand-piece.ts';

/** Events that are dealt with at once: what was done is noted after each such piece (design §2.7). */
export const PIECE = 100;
/**
 * Snapshots of one environment that one call expands at most, as many as a batch of the stream can bring; the next
 * record, or a sweep, goes on from there.
 */
const AT_ONCE = 100;

/**
 * Has the effects of an environment's snapshots up to one, in order and each once: events, what runs where, what trails
 * show, notifications, deployments, snapshots of the groups that it is in (design §2.7, §2.9, §4.1, §5). Whatever
 * stops on the way is gone on with from the last piece that was done.
 * @returns how many snapshots were expanded
 */
export async function expandSnapshots(
  relay: EnvironmentRelay,
  org: OrganizationId,
  environment: EnvironmentId,
  upTo: number,
): Promise<number> {
  const { table } = relay.services;
  let expanded = 0;
  let around: Around | undefined;
  while (expanded < AT_ONCE) {
    const place = await readExpanded(table, org, environment);
    if (place.index >= upTo) break;
    around ??= await readAround(relay, org, environment);
    if ((await expandNext(relay, around, place)) === 'done') expanded += 1;
  }
  return expanded;
}

/** What the expansions of one environment have in common. */
interface Around {
  org: OrganizationId;
  head: EnvironmentHead;
  /** Ids of the logical environments that it is a member of. */
  groups: EnvironmentId[];
  actions: ActionVersions[];
}

async function readAround(
  { services: { table } }: EnvironmentRelay,
  org: OrganizationId,
  environment: EnvironmentId,
): Promise<Around> {
  const [head, groups, actions] = await Promise.all([
    readEnvironmentHead(table, org, environment),
    readGroups(table, org, environment),
    readActions(table, org),
  ]);
  if (!head) throw new Error(`There are snapshots of the environment ${environment}, which is not there`);
  return { org, head, groups, actions };
}

/** @returns `moved` where somebody else has dealt with a part of it meanwhile */
async function expandNext(
  relay: EnvironmentRelay,
  { org, head, groups, actions }: Around,
  from: Expanded,
): Promise<'done' | 'moved'> {
  const { services, memory } = relay;
  const { table } = services;
  const snapshot = await readSnapshot(table, org, head.id, from.index + 1);
  if (!snapshot) throw new Error(`Snapshot ${from.index + 1} of the environment ${head.id} is not there`);
  const isLogical = head.kind === 'logical';
  const rows = await rowsOf(relay, org, head, snapshot);
  const events: RowEvent[] = snapshotEvents(rows.map((row) => ({ row, annotation: row.annotation })));
  const changes = isLogical ? null : runningChanges(events, rows);
  let place = from;
  // A snapshot without events may still turn the environment's state: it is one piece, too.
  for (let rest = 1; rest > 0; ) {
    const piece = events.slice(place.done, place.done + PIECE);
    rest = events.length - place.done - piece.length;
    const reports = await reportsOf(table, org, piece);
    const facts = { org, environment: head, snapshot, events: piece, first: snapshot.eventsBefore + place.done + 1 };
    await havePiece(table, memory, { ...facts, changes }, reports);
    const known = rest === 0 ? snapshot.known : null;
    const fired = firedTriggers(piece, known, snapshot.state);
    await deliver(services, org, await firedDeliveries(services, facts, fired, actions, reports));
    const done = place.done + piece.length;
    if (rest > 0 && (await notePiece(table, org, head.id, place, done)) === 'moved') return 'moved';
    place = rest > 0 ? { ...place, done } : place;
  }
  const gained = { environment: head.id, snapshot };
  for (const group of groups) await appendLogical(relay, org, group, gained);
  const starts = isLogical ? [] : events.filter(({ type }) => type === 'started');
  const outcome = await noteExpanded(table, org, head.id, place, {
    at: snapshot.at,
    starts: starts.map(({ row }) => row.flows.map(({ flow }) => flow)),
    isReported: !isLogical,
  });
  // A group that it joined meanwhile may have been looked at before this snapshot was known to be expanded.
  const joined = isLogical ? [] : await readGroups(table, org, head.id);
  for (const group of joined.filter((id) => !groups.includes(id))) await appendLogical(relay, org, group, gained);
  return outcome;
}
