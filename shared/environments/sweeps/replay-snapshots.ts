import type { EnvironmentId, OrganizationId } from '#shared/base/ids.ts';
import { createMissing } from '#shared/notifications/deliver.ts';
import { type ActionVersions, readActions } from '#shared/notifications/records/actions.ts';
import type { Delivery } from '#shared/notifications/rules/records.ts';
import { firedDeliveries } from '../deliver.ts';
import type { EffectsContext } from '../effects-context.ts';
import { readSnapshotEvents } from '../event-rows.ts';
import { readReports } from '../expand-piece.ts';
import { readEnvironmentHead } from '../records/environments.ts';
import { readExpanded } from '../records/expanded.ts';
import { readSnapshotRange, type Snapshot } from '../records/snapshots.ts';
import {
  type ReplayedEnvironment,
  readReplayedEnvironments,
  saveReplayedPosition,
} from '../records/sweep-positions.ts';
import { firedTriggers } from '../rules/transitions.ts';

/** Snapshots per step. The position is stored after each step. */
const AT_ONCE = 20;

/**
 * Creates the deliveries that are missing for snapshots since the instants that an operator set (rules/storage.md#replay).
 * Snapshots that are not expanded yet get their deliveries when they are expanded.
 * @param isTime whether there is time for another step; the next sweep does the rest
 * @returns how many deliveries were missing
 */
export async function replaySnapshots(context: EffectsContext, org: OrganizationId, isTime: () => boolean) {
  const { table } = context.services;
  const replayed = await readReplayedEnvironments(table, org);
  if (replayed.length === 0) return 0;
  const actions = await readActions(table, org);
  let missing = 0;
  for (const position of replayed) {
    for (let from: ReplayedEnvironment | null = position; from && isTime(); ) {
      const step = await replayStep(context, org, from, actions);
      missing += step.missing;
      from = step.next;
    }
  }
  return missing;
}

/** @returns how many deliveries were missing, and the next position; null at the end, or if an operator set another position */
async function replayStep(
  context: EffectsContext,
  org: OrganizationId,
  from: ReplayedEnvironment,
  actions: readonly ActionVersions[],
): Promise<{ missing: number; next: ReplayedEnvironment | null }> {
  const { services } = context;
  const { table } = services;
  const { environment } = from;
  const [head, { index: last }] = await Promise.all([
    readEnvironmentHead(table, org, environment),
    readExpanded(table, org, environment),
  ]);
  const to = Math.min(last, from.upTo + AT_ONCE);
  const snapshots = head ? await readSnapshotRange(table, org, environment, { from: from.upTo + 1, to }) : [];
  const due: Delivery[] = [];
  for (const snapshot of snapshots) {
    if (head) due.push(...(await deliveriesOf(context, { org, environment: head, snapshot }, actions)));
  }
  const missing = await createMissing(services, org, due);
  const upTo = head && to < last ? to : null;
  const isSaved = await saveReplayedPosition(table, org, from, upTo);
  return { missing, next: isSaved && upTo !== null ? { environment, upTo } : null };
}

async function deliveriesOf(
  context: EffectsContext,
  of: { org: OrganizationId; environment: { id: EnvironmentId; name: string }; snapshot: Snapshot },
  actions: readonly ActionVersions[],
): Promise<Delivery[]> {
  const { org, environment, snapshot } = of;
  const { events } = await readSnapshotEvents(context, org, environment, snapshot);
  const fired = firedTriggers(events, snapshot.known, snapshot.state);
  return firedDeliveries(context.services, of, fired, actions, await readReports(context.services.table, org, events));
}
