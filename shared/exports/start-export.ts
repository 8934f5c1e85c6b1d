import { type Id, newId, type OrganizationId } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import { type AuditStamp, auditWrite } from '#shared/organizations/records/audit.ts';
import type { EarlierRequest } from '#shared/table/idempotency.ts';
import type { Table, Write } from '#shared/table/table.ts';
import { newExportWrites } from './records/export-writes.ts';
import { type ExportRecord, NO_PROGRESS, readLatestExport } from './records/exports.ts';

/** A start: the export, or the outcome of the claim. `started` is false for an export that runs already. */
export type Start = { record: ExportRecord; started: boolean } | { refused: EarlierRequest };

/**
 * Starts an export of an organization. If an export runs already, starts none and returns that one (rules/exports.md#start).
 * @param claim returns the idempotency claim of the request for an answer about this export
 */
export function startExport(
  table: Table,
  org: { id: OrganizationId; name: string },
  stamp: AuditStamp,
  claim: (record: ExportRecord) => Write<EarlierRequest>[] = () => [],
): Promise<Start> {
  return retrying(async (): Promise<Start | 'again'> => {
    const latest = await readLatestExport(table, org.id);
    const running = latest?.record?.state === 'running' ? latest.record : null;
    const id = newId(stamp.at);
    const audited = auditWrite(org.id, stamp, { kind: 'export.started', subject: { type: 'export', id, name: id } });
    const record = running ?? newRecord(id, org.name, stamp, entryId(audited));
    const claims = claim(record);
    const writes: Write<'again' | EarlierRequest>[] = running
      ? claims
      : [...claims, ...newExportWrites(org.id, record, latest?.id ?? null), audited];
    const outcome = writes.length === 0 ? 'done' : await table.transact<'again' | EarlierRequest>(writes);
    if (outcome === 'again') return outcome;
    return outcome === 'done' ? { record, started: running === null } : { refused: outcome };
  });
}

/** The id of an audit entry, from the write that stores it. */
function entryId(write: Write): string {
  if (!('put' in write)) throw new Error('An audit entry is stored with a put');
  return write.put.sk;
}

const newRecord = (id: Id, name: string, { at, actor }: AuditStamp, entry: string): ExportRecord => ({
  id,
  state: 'running',
  name,
  started: at,
  by: actor,
  entry,
  log: null,
  progress: NO_PROGRESS,
  owner: null,
  leased: 0,
  attempts: 0,
  finished: null,
  sha256: null,
  problem: null,
});
