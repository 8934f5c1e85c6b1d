import { newId } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Author } from '#shared/callers/author.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { type AuditStamp, auditWrite, OPERATOR, stampOf } from '#shared/organizations/records/audit.ts';
import { storeClaim } from '#shared/table/idempotency.ts';
import type { Write } from '#shared/table/table.ts';
import type { Uses } from '#shared/table/uses.ts';
import { newExportWrites } from './records/export-writes.ts';
import { type ExportRecord, newExportRecord, readLatestExport } from './records/exports.ts';

export type { ExportRecord };

export const START_EXPORT: Uses = { writes: ['EXPORT', '@EXPORTING', 'AUDIT'] };

type ExportStores = Pick<Stores, 'table'>;
type Exported = Pick<Organization, 'id' | 'name'>;

/** Starts an export of an organization, or returns the one that runs already (rules/exports.md#start). */
export async function startExport(stores: ExportStores, by: Author<ExportRecord>): Promise<ExportRecord> {
  const { record } = await start(stores, by.org, stampOf(by.caller, by.receivedAt), by.claim);
  return record;
}

/** Does the same for an operator. @returns `started` is false for an export that runs already */
export const startExportAsOperator = (
  stores: ExportStores,
  org: Exported,
  at: Micros,
): Promise<{ record: ExportRecord; started: boolean }> => start(stores, org, { at, actor: OPERATOR }, () => []);

const start = (
  { table }: ExportStores,
  org: Exported,
  stamp: AuditStamp,
  claim: (record: ExportRecord) => Write[],
): Promise<{ record: ExportRecord; started: boolean }> =>
  retrying(async () => {
    const latest = await readLatestExport(table, org.id);
    if (latest?.record?.state === 'running') {
      await storeClaim(table, claim(latest.record));
      return { record: latest.record, started: false };
    }
    const id = newId(stamp.at);
    const audited = auditWrite(org.id, stamp, { kind: 'export.started', subject: { type: 'export', id, name: id } });
    const record = newExportRecord(id, org.name, stamp, entryId(audited));
    const outcome = await table.transact<'again'>([
      ...claim(record),
      ...newExportWrites(org.id, record, latest?.id ?? null),
      audited,
    ]);
    return outcome === 'again' ? outcome : { record, started: true };
  });

function entryId(write: Write): string {
  if (!('put' in write)) throw new Error('An audit entry is stored with a put');
  return write.put.sk;
}
