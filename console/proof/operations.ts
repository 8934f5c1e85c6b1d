import type { getCheckpoint } from '#functions/log/get-checkpoint.ts';
import type { getAuditReceipt } from '#functions/receipts/get-audit-receipt.ts';
import type { getEvaluationReceipt } from '#functions/receipts/get-evaluation-receipt.ts';
import type { getTrailReceipt } from '#functions/receipts/get-trail-receipt.ts';
import { type AnswerOf, operation } from '../client/operations.ts';

/** Operations on the log and on receipts. Those of snapshots are with the history, which saves them. */
export const trailReceipt = operation<typeof getTrailReceipt>()(
  'GET',
  '/receipts/{org}/trails/{flow}/{trail}/{number}',
  'reader',
);
export const auditReceipt = operation<typeof getAuditReceipt>()('GET', '/receipts/{org}/audit/{entry_id}', 'admin');
export const evaluationReceipt = operation<typeof getEvaluationReceipt>()(
  'GET',
  '/receipts/{org}/evaluations/{evaluation_id}',
  'reader',
);
/** Answers a text, also to callers that want JSON. */
export const newestCheckpoint = operation<typeof getCheckpoint>()('GET', '/log/{org}/checkpoint', 'reader');

/** What the service answers for a receipt. Until a checkpoint covers the record, that is a message. */
type ReceiptAnswer = AnswerOf<typeof getTrailReceipt>;
/** A receipt as JSON: the proof, and the texts that its entry commits to. All receipts have this form. */
export type Receipt = Extract<ReceiptAnswer, { proof: unknown }>;

export const isReceipt = (answer: ReceiptAnswer): answer is Receipt => typeof answer === 'object' && 'proof' in answer;
