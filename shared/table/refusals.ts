import type { CancellationReason } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { nameOfError } from '#shared/base/error-facts.ts';
import type { Item } from './items.ts';

export interface Refusable<R> {
  /** Called with the item that caused the refusal; undefined if there is none. */
  refused?: (old: Item | undefined) => R;
}

/** Reasons that are independent of the conditions: another writer was active, or the table was busy. */
const TRANSIENT = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);
/** Errors of the same kind for the whole transaction, before DynamoDB looked at it. */
const BUSY = new Set(['ThrottlingException', 'ProvisionedThroughputExceededException', 'RequestLimitExceeded']);

/** Whether the table refused a transaction before it looked at the items. */
export const isBusy = (error: unknown): boolean => BUSY.has(nameOfError(error) ?? '');

/**
 * Returns the meaning of a cancelled transaction: that of the first refused write that states one, or `again` if another writer was
 * active.
 *
 * @param reasons the reason for each write, in the order of the writes
 * @throws the error itself if it has no meaning
 */
export function refusalOf<R>(
  writes: readonly Refusable<R>[],
  reasons: CancellationReason[],
  error: Error,
): { outcome: R } | 'again' {
  for (const [i, reason] of reasons.entries()) {
    if (reason.Code !== 'ConditionalCheckFailed') continue;
    const refused = writes[i]?.refused;
    // A refusal without a meaning is a fault of the service, not an outcome.
    if (!refused) throw error;
    // The document client does not convert this item (rules/storage.md#dynamodb).
    return { outcome: refused(reason.Item && (unmarshall(reason.Item) as Item)) };
  }
  if (reasons.some((reason) => TRANSIENT.has(reason.Code ?? ''))) return 'again';
  throw error;
}
