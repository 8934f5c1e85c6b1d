import { isId } from '#shared/base/ids.ts';
import { recordGone } from '#shared/base/proofs/record-gone.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { AuditRecord } from '#shared/organizations/records/audit.ts';
import { auditEntry } from '#shared/organizations/records/audit-entry.ts';
import { auditKey } from '#shared/organizations/records/keys.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import { keyText } from '#shared/table/table.ts';
import { claimKey, claimOf } from '../records/claims.ts';
import { receiptCheckpointKeys } from '../records/log-state.ts';
import { noAuditEntry } from '../rules/sentences.ts';
import { type OpenedReceipt, openReceipt } from './open-receipt.ts';
import { auditOpenings } from './openings.ts';
import { receiptOf } from './receipt.ts';

/**
 * Gets the receipt of an entry of the audit log (rules/log.md#receipts).
 *
 * @param id any text
 * @param isOpened whether the texts of the entry are read as well
 * @returns null if no checkpoint covers the entry yet
 * @throws ServiceError `not-found` if there is no such entry, `broken` if the log has it and its record is gone or differs
 */
export async function getAuditReceipt(
  stores: Pick<Stores, 'table' | 'objects'>,
  { id: org, name }: Organization,
  id: string,
  isOpened: boolean,
): Promise<OpenedReceipt | null> {
  if (!isId(id)) throw noAuditEntry({ org: name, entry: id });
  const [recordKey, claimed] = [auditKey(org, monthOf(id), id), claimKey(org, { kind: 'audit', entry: id })];
  const found = await stores.table.getMany([recordKey, claimed, ...receiptCheckpointKeys(org)]);
  const item = found.get(keyText(recordKey));
  const claim = claimOf(found.get(keyText(claimed)));
  if (!item) throw claim ? recordGone({ index: claim.index }) : noAuditEntry({ org: name, entry: id });
  const record = AuditRecord.parse(item);
  const receipt = receiptOf(stores, org, auditEntry(org, record), claim, found);
  return openReceipt(receipt, isOpened ? async () => auditOpenings(record) : null);
}
