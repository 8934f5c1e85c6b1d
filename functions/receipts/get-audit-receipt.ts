import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { getAuditReceipt as get } from '#shared/log/receipts/get-receipts.ts';
import { noAuditEntry } from '#shared/log/rules/sentences.ts';
import { RECEIPT, RECEIPT_FAULTS, receiptAnswer } from './receipt-output.ts';

/** GET /receipts/{org}/audit/{entry_id}: the receipt of an entry of the audit log (rules/log.md#receipts). */
export const getAuditReceipt = endpoint({
  ...RECEIPT,
  operation: 'getAuditReceipt',
  method: 'GET',
  path: '/receipts/{org}/audit/{entry_id}',
  summary: 'Get the proof that an entry of the audit log is in the log',
  access: 'admin',
  params: z.object({
    org: z.string(),
    entry_id: z.string().meta({ description: 'Id of the entry, as the audit log lists it' }),
  }),
  errors: [noAuditEntry, ...RECEIPT_FAULTS],
  handler: async ({ params, org, format }, stores: Stores) =>
    receiptAnswer(stores, format, await get(stores, org, params.entry_id, format === 'json')),
});
