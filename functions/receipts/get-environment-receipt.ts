import * as z from 'zod';
import { AnyEnvironmentName } from '#shared/base/names.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { integerField } from '#shared/http/query-fields.ts';
import { getEnvironmentReceipt as get } from '#shared/log/receipts/get-receipts.ts';
import { noSnapshot } from '#shared/log/rules/sentences.ts';
import { RECEIPT, RECEIPT_FAULTS, receiptAnswer } from './receipt-output.ts';

/** GET /receipts/{org}/environments/{env_name}/{number}: the receipt of a snapshot (rules/log.md#receipts). */
export const getEnvironmentReceipt = endpoint({
  ...RECEIPT,
  operation: 'getEnvironmentReceipt',
  method: 'GET',
  path: '/receipts/{org}/environments/{env_name}/{number}',
  summary: 'Get the proof that a snapshot of an environment is in the log',
  access: 'reader',
  params: z.object({
    org: z.string(),
    env_name: AnyEnvironmentName,
    number: integerField({ min: 1 }).meta({ description: 'Number of the snapshot, from 1 on' }),
  }),
  errors: [unknownEnvironment, noSnapshot, ...RECEIPT_FAULTS],
  handler: async ({ params, org, format }, stores: Stores) =>
    receiptAnswer(
      stores,
      format,
      await get(stores, org, { env: params.env_name, number: params.number }, format === 'json'),
    ),
});
