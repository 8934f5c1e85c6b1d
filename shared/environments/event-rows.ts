import type { EnvironmentId, OrganizationId } from '#shared/base/ids.ts';
import type { WorkerLog } from '#shared/base/log-lines.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { EnvironmentHead } from '#shared/environments/records/environment-records.ts';
import { readContent, type Snapshot } from '#shared/environments/records/snapshots.ts';
import type { SnapshotContent, SnapshotRow } from '#shared/environments/rules/content.ts';

/**
 * Reads the rows that a snapshot's events are about. For a logical environment these are the rows of the member's
 * snapshot that caused the group snapshot. Returns no rows if the content was erased.
 */
export async function readEventRows(
  { services: { table, objects }, log }: { services: Pick<Stores, 'table' | 'objects'>; log: WorkerLog },
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
  if (!isLogicalContent(own)) return own.rows;
  const { gained } = own;
  if (!gained) return [];
  const member = await readContent(table, objects, org, gained.environment, gained.index);
  if (!member) return erased(gained.environment);
  return member.rows.map((row) => ({ ...row, environment: gained.environment }));
}

const isLogicalContent = ({ members }: SnapshotContent): boolean => members !== undefined;
