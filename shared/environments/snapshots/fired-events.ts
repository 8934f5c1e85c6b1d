import type { OrganizationId } from '#shared/base/ids.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { readEventRows } from '../event-rows.ts';
import type { EnvironmentHead } from '../records/environment-records.ts';
import type { RowEvent } from '../records/event-items.ts';
import { readSnapshot, type Snapshot } from '../records/snapshots.ts';
import { snapshotEvents } from '../rules/compare.ts';
import { type FiredTrigger, firedTriggers } from '../rules/transitions.ts';

/** What a snapshot fired. */
interface SnapshotFired {
  snapshot: Snapshot;
  fired: FiredTrigger<RowEvent['row']>[];
}

/** Reads what a snapshot fired; null if no snapshot has this number. An erased snapshot fired nothing that is known. */
export async function readFired(
  services: Pick<Stores, 'table' | 'objects'>,
  org: OrganizationId,
  head: EnvironmentHead,
  index: number,
): Promise<SnapshotFired | null> {
  const snapshot = await readSnapshot(services.table, org, head.id, index);
  if (!snapshot) return null;
  // Only workers log an erased content, because there it means lost effects.
  const rows = await readEventRows({ services, log: () => undefined }, org, head, snapshot);
  const events = snapshotEvents(rows.map((row) => ({ row, annotation: row.annotation })));
  return { snapshot, fired: firedTriggers(events, snapshot.known, snapshot.state) };
}
