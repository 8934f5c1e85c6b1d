import type { Stores } from '#shared/bodies/stores.ts';
import { evaluationNotFound } from '#shared/evaluations/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { getEvaluationReceipt as get } from '#shared/log/receipts/get-receipts.ts';
import { RECEIPT, RECEIPT_FAULTS, receiptAnswer } from './receipt-output.ts';

/** GET /receipts/{org}/evaluations/{evaluation_id}: the receipt of an evaluation (rules/log.md#receipts). */
export const getEvaluationReceipt = endpoint({
  ...RECEIPT,
  operation: 'getEvaluationReceipt',
  method: 'GET',
  path: '/receipts/{org}/evaluations/{evaluation_id}',
  summary: 'Get the proof that an evaluation is in the log',
  access: 'reader',
  feature: 'evaluations',
  errors: [evaluationNotFound, ...RECEIPT_FAULTS],
  handler: async ({ params, org, format }, stores: Stores) =>
    receiptAnswer(stores, format, await get(stores, org, params.evaluation_id, format === 'json')),
});
