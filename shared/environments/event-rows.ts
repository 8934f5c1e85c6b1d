import type { EnvironmentId, OrganizationId } from '#shared/base/ids.ts';
import type { WorkerLog } from '#shared/base/log-lines.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { EnvironmentHead } from '#shared/environments/records/environment-records.ts';
import { readContent, type Snapshot } from '#shared/environments/records/snapshots.ts';
import type { SnapshotRow } from '#shared/environments/rules/content.ts';
import type { RowEvent } from './records/event-items.ts';
import { snapshotEvents } from './rules/compare.ts';

interface Reading {
  services: Pick<Stores, 'table' | 'objects'>;
  log: WorkerLog;
}

/**
 * Reads the events of a snapshot, and the rows that they are about. For a logical environment these are the rows of the
 * member's snapshot that caused the group snapshot. Returns none if the content was erased.
 */
export async function readSnapshotEvents(
  reading: Reading,
  org: OrganizationId,
  head: Pick<EnvironmentHead, 'id'>,
  snapshot: Snapshot,
): Promise<{ rows: SnapshotRow[]; events: RowEvent[] }> {
  const rows = await readEventRows(reading, org, head, snapshot);
  return { rows, events: snapshotEvents(rows.map((row) => ({ row, annotation: row.annotation }))) };
}

async function readEventRows(
  { services: { table, objects }, log }: Reading,
  org: OrganizationId,
  head: Pick<EnvironmentHead, 'id'>,
  snapshot: Snapshot,
): Promise<SnapshotRow[]> {
  const own = await readContent(table, objects, org, head.id, snapshot.index);
  const erased = (environment: EnvironmentId): SnapshotRow[] => {
    log('A snapshot was expanded without its content, which was erased', { organization: org, environment });
    return [];
  };
  if (!own) return erased(head.id);
  const { members, gained } = own;
  // Only the content of a group snapshot has members.
  if (!members) return own.rows;
  if (!gained) return [];
  const member = await readContent(table, objects, org, gained.environment, gained.index);
  if (!member) return erased(gained.environment);
  return member.rows.map((row) => ({ ...row, environment: gained.environment }));
}
