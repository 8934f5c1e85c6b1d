import { newId, type OrganizationId } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import { readCheckpoint } from '#shared/log/records/log-state.ts';
import { type AuditStamp, auditWrite } from '#shared/organizations/records/audit.ts';
import type { EarlierRequest } from '#shared/table/idempotency.ts';
import type { Table, Write } from '#shared/table/table.ts';
import { parseCheckpoint } from '#shared/tlog/checkpoint.ts';
import { parseNote } from '#shared/tlog/notes.ts';
import { newExportWrites } from './records/export-writes.ts';
import { type ExportRecord, NO_PROGRESS, type PinnedLog, readLatestExport } from './records/exports.ts';

/** A start: the export, or the outcome of the claim. `started` is false for an export that runs already. */
export type Start = { record: ExportRecord; started: boolean } | { refused: EarlierRequest };

/**
 * Starts an export of an organization, pinned to the newest checkpoint of its log. If an export runs already, starts none
 * and returns that one (rules/exports.md#start).
 * @param claim returns the idempotency claim of the request for an answer about this export
 */
export function startExport(
  table: Table,
  org: { id: OrganizationId; name: string },
  stamp: AuditStamp,
  claim: (record: ExportRecord) => Write<EarlierRequest>[] = () => [],
): Promise<Start> {
  return retrying(async (): Promise<Start | 'again'> => {
    const [latest, log] = await Promise.all([readLatestExport(table, org.id), readPinned(table, org.id)]);
    const running = latest?.record?.state === 'running' ? latest.record : null;
    const record = running ?? newRecord(org.name, stamp, log);
    const claims = claim(record);
    const writes: Write<'again' | EarlierRequest>[] = running
      ? claims
      : [
          ...claims,
          ...newExportWrites(org.id, record, latest?.id ?? null),
          auditWrite(org.id, stamp, {
            kind: 'export.started',
            subject: { type: 'export', id: record.id, name: record.id },
            after: { log_size: log?.size ?? 0 },
          }),
        ];
    const outcome = writes.length === 0 ? 'done' : await table.transact<'again' | EarlierRequest>(writes);
    if (outcome === 'again') return outcome;
    return outcome === 'done' ? { record, started: running === null } : { refused: outcome };
  });
}

const newRecord = (name: string, { at, actor }: AuditStamp, log: PinnedLog | null): ExportRecord => ({
  id: newId(at),
  state: 'running',
  name,
  started: at,
  by: actor,
  log,
  progress: NO_PROGRESS,
  owner: null,
  leased: 0,
  attempts: 0,
  finished: null,
  sha256: null,
});

async function readPinned(table: Table, org: OrganizationId): Promise<PinnedLog | null> {
  const checkpoint = await readCheckpoint(table, org);
  if (!checkpoint) return null;
  const { origin, size, root } = parseCheckpoint(parseNote(checkpoint.note).text);
  return { origin, size, root: root.toString('hex'), checkpoint: checkpoint.note };
}
