import * as z from 'zod';
import { AnyFlowName, AnyTrailName } from '#shared/base/names.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { integerField } from '#shared/http/query-fields.ts';
import { getTrailReceipt as get } from '#shared/log/receipts/get-receipts.ts';
import { noMoment } from '#shared/log/rules/sentences.ts';
import { RECEIPT, RECEIPT_FAULTS, receiptAnswer } from './receipt-output.ts';

/** GET /receipts/{org}/trails/{flow}/{trail}/{number}: the receipt of a moment (rules/log.md#receipts). */
export const getTrailReceipt = endpoint({
  ...RECEIPT,
  operation: 'getTrailReceipt',
  method: 'GET',
  path: '/receipts/{org}/trails/{flow}/{trail}/{number}',
  summary: 'Get the proof that a moment of a trail is in the log',
  access: 'reader',
  params: z.object({
    org: z.string(),
    flow: AnyFlowName,
    trail: AnyTrailName,
    number: integerField({ min: 1 }).meta({ description: 'Number of the moment, from 1 on' }),
  }),
  errors: [noMoment, ...RECEIPT_FAULTS],
  handler: async ({ params, org, format }, stores: Stores) =>
    receiptAnswer(stores, format, await get(stores, org, params, format === 'json')),
});
