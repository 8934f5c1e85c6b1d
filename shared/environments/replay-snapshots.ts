import type { EnvironmentId, OrganizationId } from '#shared/base/ids.ts';
import { readEnvironmentHead } from '#shared/environments/records/environments.ts';
import type { RowEvent } from '#shared/environments/records/event-items.ts';
import { readExpanded } from '#shared/environments/records/expanded.ts';
import { readSnapshotRange, type Snapshot } from '#shared/environments/records/snapshots.ts';
import { snapshotEvents } from '#shared/environments/rules/compare.ts';
import { firedTriggers } from '#shared/environments/rules/transitions.ts';
import { createMissing } from '#shared/notifications/deliver.ts';
import { type ActionVersions, readActions } from '#shared/notifications/records/actions.ts';
import { noteRewound, type RewoundEnvironment, readRewound } from '#shared/notifications/records/relayed.ts';
import type { Delivery } from '#shared/notifications/rules/records.ts';
import { firedDeliveries } from './deliver.ts';
import type { EnvironmentRelay } from './effects-context.ts';
import { rowsOf } from './event-rows.ts';
import { reportsOf } from './expand-piece.ts';

/** Snapshots that are looked at before the place is noted. */
const AT_ONCE = 20;

/**
 * Tells once more what snapshots fired since the instants that an operator set, where it is not in the books (design
 * §2.7). What is not expanded yet is told when it is.
 * @param isTime whether there is time for more; what is left undone is the next sweep's
 * @returns how many deliveries were missing
 */
export async function replaySnapshots(
  relay: EnvironmentRelay,
  org: OrganizationId,
  isTime: () => boolean,
): Promise<number> {
  const { table } = relay.services;
  const rewound = await readRewound(table, org);
  if (rewound.length === 0) return 0;
  const actions = await readActions(table, org);
  let missing = 0;
  for (const place of rewound) {
    for (let from: RewoundEnvironment | null = place; from && isTime(); ) {
      const step = await replayStep(relay, org, from, actions);
      missing += step.missing;
      from = step.next;
    }
  }
  return missing;
}

/** @returns how many deliveries were missing, and from where to go on; null at the end, or where somebody set it back */
async function replayStep(
  relay: EnvironmentRelay,
  org: OrganizationId,
  from: RewoundEnvironment,
  actions: readonly ActionVersions[],
): Promise<{ missing: number; next: RewoundEnvironment | null }> {
  const { services } = relay;
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
    if (head) due.push(...(await deliveriesOf(relay, { org, environment: head, snapshot }, actions)));
  }
  const missing = await createMissing(services, org, due);
  const upTo = head && to < last ? to : null;
  const noted = await noteRewound(table, org, from, upTo);
  return { missing, next: noted && upTo !== null ? { environment, upTo } : null };
}

async function deliveriesOf(
  relay: EnvironmentRelay,
  of: { org: OrganizationId; environment: { id: EnvironmentId; name: string }; snapshot: Snapshot },
  actions: readonly ActionVersions[],
): Promise<Delivery[]> {
  const { org, environment, snapshot } = of;
  const rows = await rowsOf(relay, org, environment, snapshot);
  const events: RowEvent[] = snapshotEvents(rows.map((row) => ({ row, annotation: row.annotation })));
  const fired = firedTriggers(events, snapshot.known, snapshot.state);
  return firedDeliveries(relay.services, of, fired, actions, await reportsOf(relay.services.table, org, events));
}
