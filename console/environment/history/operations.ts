import type { getLog } from '#functions/log/get-log.ts';
import type { getEnvironmentReceipt } from '#functions/receipts/get-environment-receipt.ts';
import { type AnswerOf, operation } from '../../client/operations.ts';

/** Operations on the log of an organization. */
export const log = operation<typeof getLog>()('GET', '/log/{org}', 'reader');
export const environmentReceipt = operation<typeof getEnvironmentReceipt>()(
  'GET',
  '/receipts/{org}/environments/{env_name}/{number}',
  'reader',
);

export type Log = AnswerOf<typeof getLog>;
