import { ServiceError } from '#shared/base/errors.ts';
import { type RecordGone, recordGone } from '#shared/base/proofs/record-gone.ts';
import { Contention } from '#shared/base/retry.ts';
import { busy, conflict, internal, recordMissing } from './sentences.ts';

/** Error names of AWS for throttling and for conflicts that outlast the retries of the SDK. */
const AWS_BUSY = new Set([
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'TransactionConflictException',
  'TransactionInProgressException',
  'TooManyRequestsException',
  'SlowDown',
  'ServiceUnavailable',
  'TimeoutError',
  'NetworkingError',
]);
/** Codes of failed connections. */
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'ETIMEDOUT',
  'EPIPE',
  'EAI_AGAIN',
  'EHOSTUNREACH',
]);

interface Fault {
  name?: string;
  code?: string;
  $metadata?: { httpStatusCode?: number };
}

/**
 * Returns whether AWS throttled, failed or could not be reached after all retries of the SDK
 * (rules/requests.md#faults).
 */
function isBusy({ name = '', code = '', $metadata }: Fault): boolean {
  return AWS_BUSY.has(name) || UNREACHABLE.has(code) || ($metadata?.httpStatusCode ?? 0) >= 500;
}

/**
 * Maps anything that was thrown to the error that the caller gets. The cause goes to the log only.
 * @param idempotent whether the request has an Idempotency-Key. Such a request can lose against its own first try,
 *   which is a 409 (rules/requests.md#idempotency-key).
 */
export function toServiceError(error: unknown, { idempotent = false } = {}): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof Contention) return idempotent ? conflict({}, { cause: error }) : busy({}, { cause: error });
  // Every member of a fault is optional, and `isBusy` compares them with known values.
  const fault = (typeof error === 'object' && error !== null ? error : {}) as Fault;
  return isBusy(fault) ? busy({}, { cause: error }) : internal({}, { cause: error });
}

/**
 * Maps a missing record to the error that the caller gets (rules/log.md#records-that-are-gone).
 * @param index of the record's entry in the log; null if the log has none
 */
export function goneError(error: RecordGone, index: number | null): ServiceError {
  if (index !== null) return recordGone({ index }, { cause: error });
  return error.unlogged ?? recordMissing({ problem: error.message }, { cause: error });
}
