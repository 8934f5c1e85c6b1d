import { endpointGroup } from '#shared/http/endpoint.ts';
import { getAuditReceipt } from './get-audit-receipt.ts';
import { getEnvironmentReceipt } from './get-environment-receipt.ts';
import { getEvaluationReceipt } from './get-evaluation-receipt.ts';
import { getTrailReceipt } from './get-trail-receipt.ts';

export const receiptsGroup = endpointGroup({
  name: 'receipts',
  about:
    'Receipts: proofs that a moment, a snapshot, an audit entry or an evaluation is in the log of its organization.',
  endpoints: [getTrailReceipt, getEnvironmentReceipt, getAuditReceipt, getEvaluationReceipt],
});
