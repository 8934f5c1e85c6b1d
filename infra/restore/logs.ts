import type { OrganizationId } from '#shared/base/ids.ts';
import type { Clock } from '#shared/base/time.ts';
import { goneRecords } from '#shared/log/gone-records.ts';
import { copyCheckpoint } from '#shared/log/publish.ts';
import { readCheckpoint, readHead } from '#shared/log/records/log-state.ts';
import { LogNotRecovered, recoverLog } from '#shared/log/recover.ts';
import { LogDiffers } from '#shared/log/rules/log-differs.ts';
import { logTiles } from '#shared/log/tiles.ts';
import { readWaiting } from '#shared/log/waiting-entries.ts';
import { listActive } from '#shared/sweeps/active-organizations.ts';
import type { Table } from '#shared/table/table.ts';
import { TILE_WIDTH, tileWidth } from '#shared/tlog/tiles.ts';
import { noteSize } from './progress.ts';
import { RestoreError } from './restore-error.ts';
import type { Connection } from './stage.ts';

/** Entries that one call brings back. */
const AT_MOST = 20_000;

interface Tables {
  from: Table;
  to: Table;
}

/**
 * Brings the log of an organization back and returns a line for each of its records that the restored table does not have.
 * The newest checkpoint of the old table goes into the bucket first: sweeps rest in maintenance, so nothing else copies it.
 *
 * @throws RestoreError if the bucket does not hold what the log needs to go on
 */
export async function restoreLog(
  { objects, keys, origin }: Pick<Connection, 'objects' | 'keys' | 'origin'>,
  { from, to }: Tables,
  org: { id: OrganizationId; name: string },
  clock: Clock,
): Promise<string[]> {
  const size = await noteSize(to, org.id, (await readHead(to, org.id))?.range.size ?? 0);
  const checkpoint = await readCheckpoint(from, org.id);
  if (checkpoint && checkpoint.copied.size < checkpoint.range.size) {
    await copyCheckpoint({ table: from, objects, clock }, org.id, checkpoint);
  }
  try {
    const services = { table: to, objects, clock, origin, logKey: keys.log };
    while ((await recoverLog(services, org.id, AT_MOST)).hasMore);
  } catch (error) {
    if (!(error instanceof LogNotRecovered || error instanceof LogDiffers)) throw error;
    throw new RestoreError(`The log of '${org.name}' does not come back: ${error.message}`, error);
  }
  // The sweeps publish the logs of listed organizations.
  await listActive(to, org.id, clock.now());
  return lostRecords({ objects }, { from, to }, org, size);
}

/** @param size entries that the log had at the instant of the restore */
async function lostRecords(
  { objects }: Pick<Connection, 'objects'>,
  { from, to }: Tables,
  org: { id: OrganizationId; name: string },
  size: number,
): Promise<string[]> {
  const end = (await readHead(from, org.id))?.range.size ?? 0;
  const tiles = logTiles({ table: from, objects }, org.id, end);
  const lines: string[] = [];
  for (let index = Math.floor(size / TILE_WIDTH); index * TILE_WIDTH < end; index += 1) {
    const entries = await tiles.entries(index, tileWidth(end, 'entries', index));
    const later = entries.slice(Math.max(0, size - index * TILE_WIDTH)).map((bytes) => readWaiting(org.id, bytes));
    const gone = await goneRecords(to, org.id, later, from);
    lines.push(...gone.map((record) => `${org.name}: ${recordText(record)}`));
  }
  return lines;
}

function recordText(record: Awaited<ReturnType<typeof goneRecords>>[number]): string {
  switch (record.kind) {
    case 'trail': {
      const { flow_name: flow = record.flow, trail_name: trail = record.trail } = record;
      return `moment ${record.number} of the trail '${trail}' of the flow '${flow}'`;
    }
    case 'environment':
      return `snapshot ${record.number} of the environment '${record.environment_name ?? record.environment}'`;
    case 'audit':
      return `audit entry ${record.entry}${record.change === undefined ? '' : `: ${record.change}`}`;
    case 'evaluation':
      return `evaluation ${record.evaluation}`;
    case 'statement':
      return `statement ${record.digest}`;
  }
}
