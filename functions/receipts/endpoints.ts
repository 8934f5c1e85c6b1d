import { endpointGroup } from '#shared/http/endpoint.ts';
import { getAuditReceipt } from './get-audit-receipt.ts';
import { getEnvironmentReceipt } from './get-environment-receipt.ts';
import { getTrailReceipt } from './get-trail-receipt.ts';

export const receiptsGroup = endpointGroup({
  name: 'receipts',
  about: 'Receipts: proofs that a moment, a snapshot or an audit entry is in the log of its organization.',
  endpoints: [getTrailReceipt, getEnvironmentReceipt, getAuditReceipt],
});
