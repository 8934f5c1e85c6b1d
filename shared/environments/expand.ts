import { type EnvironmentId, type Fingerprint, isKnownFingerprint, type OrganizationId } from '#shared/base/ids.ts';
import type { EnvironmentHead } from '#shared/environments/records/environment-records.ts';
import { readEnvironmentHead, readGroups } from '#shared/environments/records/environments.ts';
import { type Expanded, finishSnapshot, readExpanded, recordProgress } from '#shared/environments/records/expanded.ts';
import { readSnapshot } from '#shared/environments/records/snapshots.ts';
import { firedTriggers } from '#shared/environments/rules/transitions.ts';
import { deliver } from '#shared/notifications/deliver.ts';
import { type ActionVersions, readActions } from '#shared/notifications/records/actions.ts';
import { appendLogical } from './append-logical.ts';
import { firedDeliveries } from './deliver.ts';
import type { EffectsContext, ExpansionContext } from './effects-context.ts';
import { readSnapshotEvents } from './event-rows.ts';
import { applyPiece, readCommitTimes, readReports, runningChanges, runningVerdicts } from './expand-piece.ts';
import { explainFired } from './explain-fired.ts';

/** Events per piece. Progress is stored after each piece (rules/environments.md#effects-of-a-snapshot). */
const PIECE = 100;

/**
 * How a call of {@link expandSnapshots} ended: every snapshot is expanded, the time is over, or another process has
 * stored progress meanwhile.
 */
type ExpansionOutcome = 'done' | 'interrupted' | 'moved';

/**
 * Applies the effects of an environment's snapshots in order, up to the newest one: events, where artifacts run, events
 * of trails, notifications, counts of deployments, snapshots of groups (rules/environments.md#effects-of-a-snapshot).
 * Progress is stored after each piece, so the next call resumes at the first unfinished piece.
 *
 * @param isTime whether there is time for another piece. A call applies at least one piece
 */
export async function expandSnapshots(
  context: ExpansionContext,
  org: OrganizationId,
  environment: EnvironmentId,
  isTime: () => boolean = () => true,
): Promise<ExpansionOutcome> {
  const { table } = context.services;
  let place = await readExpanded(table, org, environment);
  let expansion = await readExpansionContext(context, org, environment);
  while (place.index < expansion.head.index) {
    const outcome = await expandNext(context, expansion, place, isTime);
    if (outcome !== 'done') return outcome;
    place = { ...place, index: place.index + 1, done: 0 };
    // A call that finds this one at work leaves newer snapshots to it. Therefore the head is read again after the last one.
    if (place.index === expansion.head.index) expansion = await readExpansionContext(context, org, environment);
    if (place.index < expansion.head.index && !isTime()) return 'interrupted';
  }
  return 'done';
}

interface Expansion {
  org: OrganizationId;
  head: EnvironmentHead;
  /** Ids of the logical environments that have it as a member. */
  groups: EnvironmentId[];
  actions: ActionVersions[];
}

/** Whether a fingerprint did not run in an environment before a snapshot, and runs now. */
const isStart = (changes: ReturnType<typeof runningChanges> | null, fingerprint: Fingerprint | ''): boolean =>
  isKnownFingerprint(fingerprint) && changes?.get(fingerprint)?.running === true;

async function readExpansionContext(
  { services: { table } }: EffectsContext,
  org: OrganizationId,
  environment: EnvironmentId,
): Promise<Expansion> {
  const [head, groups, actions] = await Promise.all([
    readEnvironmentHead(table, org, environment),
    readGroups(table, org, environment),
    readActions(table, org),
  ]);
  if (!head) throw new Error(`The environment ${environment} has snapshots and no head`);
  return { org, head, groups, actions };
}

/** Applies the effects of the snapshot after `from`. */
async function expandNext(
  context: ExpansionContext,
  { org, head, groups, actions }: Expansion,
  from: Expanded,
  isTime: () => boolean,
): Promise<ExpansionOutcome> {
  const { services, memory } = context;
  const { table } = services;
  const snapshot = await readSnapshot(table, org, head.id, from.index + 1);
  if (!snapshot) throw new Error(`The environment ${head.id} has no snapshot ${from.index + 1}`);
  const isLogical = head.kind === 'logical';
  const { rows, events } = await readSnapshotEvents(context, org, head, snapshot);
  const changes = isLogical ? null : runningChanges(events, rows);
  const runs = isLogical ? null : runningVerdicts(events, rows);
  let place = from;
  // A snapshot without events is one piece too, since it may change the environment's state.
  for (let rest = 1; rest > 0; ) {
    const piece = events.slice(place.done, place.done + PIECE);
    rest = events.length - place.done - piece.length;
    const reports = await readReports(table, org, piece);
    const facts = { org, environment: head, snapshot, events: piece, first: snapshot.eventsBefore + place.done + 1 };
    const committed = await readCommitTimes(services.objects, org, piece, reports);
    await applyPiece(table, memory, { ...facts, changes, runs }, reports, committed);
    const known = rest === 0 ? snapshot.known : null;
    const fired = firedTriggers(piece, known, snapshot.state);
    const due = await firedDeliveries(services, facts, fired, actions, reports);
    await deliver(services, org, await explainFired(context, facts, rows, due));
    const rowsStarted = piece.map(({ row }) => row).filter(({ fingerprint }) => isStart(changes, fingerprint));
    if (rowsStarted.length > 0) await context.askStarts(services, org, { environment: head.id, rows: rowsStarted });
    const done = place.done + piece.length;
    if (rest > 0) {
      const progress = { done, at: services.clock.now() };
      if ((await recordProgress(table, org, head.id, place, progress)) === 'moved') return 'moved';
      if (!isTime()) return 'interrupted';
      place = { ...place, ...progress };
    }
  }
  const gained = { environment: head.id, snapshot };
  for (const group of groups) {
    // A group that has the snapshot already costs two reads. So each call reaches a group that does not have it.
    if ((await appendLogical(context, org, group, gained)) === 'appended' && !isTime()) return 'interrupted';
  }
  const starts = isLogical ? [] : events.filter(({ type }) => type === 'started');
  const outcome = await finishSnapshot(table, org, head.id, place, {
    at: snapshot.at,
    starts: starts.map(({ row }) => row.flows.map(({ flow }) => flow)),
    isReported: !isLogical,
    now: services.clock.now(),
  });
  // A group that the environment joined meanwhile may have read the progress before this snapshot counted as expanded.
  const joined = isLogical ? [] : await readGroups(table, org, head.id);
  for (const group of joined.filter((id) => !groups.includes(id))) await appendLogical(context, org, group, gained);
  return outcome;
}
