import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';

/** Records of one lane of a shard that the event source passes to the function in one call. */
export interface Batch {
  records: readonly DynamoDBRecord[];
  /** Retries that these records have used up. */
  retries: number;
}

/** What a call of the function ended with. `threw` stands for every call without an answer. */
export type CallOutcome = 'threw' | DynamoDBBatchResponse | null | undefined;

export interface RetryLimits {
  /** Calls after the first one. */
  retries: number;
  /** Age at which a record is given up, in milliseconds. @default no limit */
  recordAgeMillis?: number;
}

/** Why the event source gives records up, in the platform's words. */
export type GiveUpReason = 'RetryAttemptsExhausted' | 'RecordAgeExceeded';

/**
 * Decides what is done and what the event source retries after a call (rules/storage.md#event-source).
 *
 * A partial failure sets the checkpoint to the lowest failed record, and everything from there on is retried together. A
 * call that failed as a whole is retried in two halves, which costs no retry.
 */
export function afterCall({ records, retries }: Batch, outcome: CallOutcome): { done: number; again: Batch[] } {
  const failedAt = firstFailure(records, outcome);
  if (failedAt === undefined) return { done: records.length, again: [] };
  if (failedAt !== 'all')
    return { done: failedAt, again: [{ records: records.slice(failedAt), retries: retries + 1 }] };
  if (records.length === 1) return { done: 0, again: [{ records, retries: retries + 1 }] };
  const middle = Math.ceil(records.length / 2);
  return {
    done: 0,
    again: [
      { records: records.slice(0, middle), retries },
      { records: records.slice(middle), retries },
    ],
  };
}

/** @returns the place of the lowest failed record, `all` if the whole call failed, or undefined if it succeeded */
function firstFailure(records: readonly DynamoDBRecord[], outcome: CallOutcome): number | 'all' | undefined {
  if (outcome === 'threw') return 'all';
  const failures = outcome?.batchItemFailures ?? [];
  if (failures.length === 0) return undefined;
  const places = failures.map(({ itemIdentifier }) =>
    records.findIndex((record) => record.dynamodb?.SequenceNumber === itemIdentifier),
  );
  // An identifier that is empty, or not in the batch, fails the whole batch.
  return places.includes(-1) ? 'all' : Math.min(...places);
}

/**
 * Divides a batch into the records that are called next and those that the event source gives up now.
 *
 * @param nowMillis milliseconds since the epoch
 */
export function dueRecords(
  batch: Batch,
  limits: RetryLimits,
  nowMillis: number,
): { next: Batch; givenUp: { records: readonly DynamoDBRecord[]; reason: GiveUpReason } | undefined } {
  if (batch.retries > limits.retries) {
    return {
      next: { ...batch, records: [] },
      givenUp: { records: batch.records, reason: 'RetryAttemptsExhausted' },
    };
  }
  const { recordAgeMillis = Number.POSITIVE_INFINITY } = limits;
  const isOld = ({ dynamodb }: DynamoDBRecord) =>
    nowMillis - (dynamodb?.ApproximateCreationDateTime ?? Number.POSITIVE_INFINITY) * 1000 > recordAgeMillis;
  const old = batch.records.filter(isOld);
  if (old.length === 0) return { next: batch, givenUp: undefined };
  return {
    next: { ...batch, records: batch.records.filter((record) => !isOld(record)) },
    givenUp: { records: old, reason: 'RecordAgeExceeded' },
  };
}
