import * as z from 'zod';
import { isId } from '#shared/base/ids.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { recordGone } from '#shared/http/sentences.ts';
import { auditOpenings } from '#shared/log/openings.ts';
import { receiptOf } from '#shared/log/receipt.ts';
import { claimKey, claimOf } from '#shared/log/records/claims.ts';
import { receiptCheckpointKeys } from '#shared/log/records/log-state.ts';
import { noAuditEntry } from '#shared/log/rules/sentences.ts';
import { AuditRecord } from '#shared/organizations/records/audit.ts';
import { auditEntry } from '#shared/organizations/records/audit-entry.ts';
import { auditKey } from '#shared/organizations/records/keys.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import { keyText } from '#shared/table/table.ts';
import { ABOUT_RECEIPTS, RECEIPT, RECEIPT_FAULTS, receiptAnswer } from './receipt-output.ts';

/** GET /receipts/{org}/audit/{entry_id}: the receipt of an entry of the audit log (rules/log.md#receipts). */
export const getAuditReceipt = endpoint({
  ...RECEIPT,
  operation: 'getAuditReceipt',
  method: 'GET',
  path: '/receipts/{org}/audit/{entry_id}',
  summary: 'Get the proof that an entry of the audit log is in the log',
  description: ABOUT_RECEIPTS,
  access: 'admin',
  params: z.object({
    org: z.string(),
    entry_id: z.string().meta({ description: 'Id of the entry, as the audit log lists it' }),
  }),
  query: z.object({}),
  body: { kind: 'none' },
  errors: [noAuditEntry, ...RECEIPT_FAULTS],
  handler: async ({ params, org: { id: org, name }, format }, services) => {
    const { entry_id: id } = params;
    if (!isId(id)) throw noAuditEntry({ org: name, entry: id });
    const [recordKey, claimed] = [auditKey(org, monthOf(id), id), claimKey(org, { kind: 'audit', entry: id })];
    const found = await services.table.getMany([recordKey, claimed, ...receiptCheckpointKeys(org)]);
    const item = found.get(keyText(recordKey));
    const claim = claimOf(found.get(keyText(claimed)));
    if (!item) throw claim ? recordGone({ index: claim.index }) : noAuditEntry({ org: name, entry: id });
    const record = AuditRecord.parse(item);
    const entry = auditEntry(org, record);
    const receipt = receiptOf(services, org, entry, claim, found);
    return receiptAnswer(format, receipt, async () => auditOpenings(record));
  },
});
