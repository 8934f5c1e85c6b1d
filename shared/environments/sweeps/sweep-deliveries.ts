import type { EnvironmentId, OrganizationId } from '#shared/base/ids.ts';
import { type Duration, minus } from '#shared/base/time.ts';
import { createMissing } from '#shared/notifications/deliver.ts';
import { type ActionVersions, readActions } from '#shared/notifications/records/actions.ts';
import type { Delivery } from '#shared/notifications/rules/records.ts';
import { SETTLING_MICROS } from '#shared/series/milestones.ts';
import { allowedDeliveries, firedDeliveries } from '../deliver.ts';
import type { EffectsContext } from '../effects-context.ts';
import { readSnapshotEvents } from '../event-rows.ts';
import { readReports } from '../expand-piece.ts';
import { readAllowedSince } from '../records/allowed.ts';
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

/** How far back a sweep reads. Entries of allow-lists have no series that would record what is handled. */
const LOOKED_BACK: Duration = 7 * 24 * 3600 * 1_000_000;

/**
 * Creates missing deliveries for settled entries of allow-lists (rules/storage.md#sweeps). Costs one Query for each
 * environment that a notification with the trigger names.
 * @returns how many deliveries were missing
 */
export async function sweepAllowed({ services }: EffectsContext, org: OrganizationId): Promise<number> {
  const { table, clock } = services;
  const actions = await readActions(table, org);
  const notifications = actions.flatMap(({ versions }) =>
    versions.filter(({ triggers }) => triggers.includes('ON_ALLOWED_ARTIFACT')),
  );
  const environments = new Set(notifications.flatMap(({ environments: ids }) => ids));
  const now = clock.now();
  const entries = await Promise.all(
    [...environments].map((environment) => readAllowedSince(table, org, environment, minus(now, LOOKED_BACK))),
  );
  const settled = entries.flat().filter(({ added, at }) => added && at <= now - SETTLING_MICROS);
  return createMissing(services, org, await allowedDeliveries(services, org, settled, actions));
}
