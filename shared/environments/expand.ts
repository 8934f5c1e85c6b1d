import type { EnvironmentId, OrganizationId } from '#shared/base/ids.ts';
import type { EnvironmentHead } from '#shared/environments/records/environment-records.ts';
import { readEnvironmentHead, readGroups } from '#shared/environments/records/environments.ts';
import type { RowEvent } from '#shared/environments/records/event-items.ts';
import { type Expanded, finishSnapshot, readExpanded, recordProgress } from '#shared/environments/records/expanded.ts';
import { readSnapshot } from '#shared/environments/records/snapshots.ts';
import { snapshotEvents } from '#shared/environments/rules/compare.ts';
import { firedTriggers } from '#shared/environments/rules/transitions.ts';
import { deliver } from '#shared/notifications/deliver.ts';
import { type ActionVersions, readActions } from '#shared/notifications/records/actions.ts';
import { appendLogical } from './append-logical.ts';
import { firedDeliveries } from './deliver.ts';
import type { EffectsContext } from './effects-context.ts';
import { readEventRows } from './event-rows.ts';
import { applyPiece, readReports, runningChanges } from './expand-piece.ts';

/** Events per piece. Progress is stored after each piece (rules/environments.md#effects-of-a-snapshot). */
export const PIECE = 100;
/**
 * The most snapshots that one call expands: as many as a batch of the stream can hold. The next record or a sweep
 * expands the rest.
 */
const AT_ONCE = 100;

/**
 * Applies the effects of an environment's snapshots in order, up to and including `upTo`: events, where artifacts run,
 * events of trails, notifications, counts of deployments, snapshots of groups
 * (rules/environments.md#effects-of-a-snapshot). Progress is stored after each piece, so an interrupted call resumes at
 * the first unfinished piece.
 * @returns how many snapshots were expanded
 */
export async function expandSnapshots(
  context: EffectsContext,
  org: OrganizationId,
  environment: EnvironmentId,
  upTo: number,
): Promise<number> {
  const { table } = context.services;
  let expanded = 0;
  let expansion: ExpansionContext | undefined;
  while (expanded < AT_ONCE) {
    const place = await readExpanded(table, org, environment);
    if (place.index >= upTo) break;
    expansion ??= await readExpansionContext(context, org, environment);
    if ((await expandNext(context, expansion, place)) === 'done') expanded += 1;
  }
  return expanded;
}

/** Data that the expansions of all snapshots of an environment share. */
interface ExpansionContext {
  org: OrganizationId;
  head: EnvironmentHead;
  /** Ids of the logical environments that have it as a member. */
  groups: EnvironmentId[];
  actions: ActionVersions[];
}

async function readExpansionContext(
  { services: { table } }: EffectsContext,
  org: OrganizationId,
  environment: EnvironmentId,
): Promise<ExpansionContext> {
  const [head, groups, actions] = await Promise.all([
    readEnvironmentHead(table, org, environment),
    readGroups(table, org, environment),
    readActions(table, org),
  ]);
  if (!head) throw new Error(`The environment ${environment} has snapshots and no head`);
  return { org, head, groups, actions };
}

/**
 * Applies the effects of the snapshot after `from`.
 * @returns `moved` if another process has stored progress meanwhile
 */
async function expandNext(
  context: EffectsContext,
  { org, head, groups, actions }: ExpansionContext,
  from: Expanded,
): Promise<'done' | 'moved'> {
  const { services, memory } = context;
  const { table } = services;
  const snapshot = await readSnapshot(table, org, head.id, from.index + 1);
  if (!snapshot) throw new Error(`The environment ${head.id} has no snapshot ${from.index + 1}`);
  const isLogical = head.kind === 'logical';
  const rows = await readEventRows(context, org, head, snapshot);
  const events: RowEvent[] = snapshotEvents(rows.map((row) => ({ row, annotation: row.annotation })));
  const changes = isLogical ? null : runningChanges(events, rows);
  let place = from;
  // A snapshot without events is one piece too, since it may change the environment's state.
  for (let rest = 1; rest > 0; ) {
    const piece = events.slice(place.done, place.done + PIECE);
    rest = events.length - place.done - piece.length;
    const reports = await readReports(table, org, piece);
    const facts = { org, environment: head, snapshot, events: piece, first: snapshot.eventsBefore + place.done + 1 };
    await applyPiece(table, memory, { ...facts, changes }, reports);
    const known = rest === 0 ? snapshot.known : null;
    const fired = firedTriggers(piece, known, snapshot.state);
    await deliver(services, org, await firedDeliveries(services, facts, fired, actions, reports));
    const done = place.done + piece.length;
    if (rest > 0 && (await recordProgress(table, org, head.id, place, done)) === 'moved') return 'moved';
    place = rest > 0 ? { ...place, done } : place;
  }
  const gained = { environment: head.id, snapshot };
  for (const group of groups) await appendLogical(context, org, group, gained);
  const starts = isLogical ? [] : events.filter(({ type }) => type === 'started');
  const outcome = await finishSnapshot(table, org, head.id, place, {
    at: snapshot.at,
    starts: starts.map(({ row }) => row.flows.map(({ flow }) => flow)),
    isReported: !isLogical,
  });
  // A group that the environment joined meanwhile may have read the progress before this snapshot counted as expanded.
  const joined = isLogical ? [] : await readGroups(table, org, head.id);
  for (const group of joined.filter((id) => !groups.includes(id))) await appendLogical(context, org, group, gained);
  return outcome;
}
