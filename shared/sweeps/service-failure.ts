import { Contention } from '#shared/base/retry.ts';

/** Errors of the SDK that a repetition of the same call gets again: what the call says cannot be done. */
const REFUSALS = new Set(['ValidationException', 'TransactionCanceledException', 'NoSuchKey', 'NoSuchVersion']);
/** Errors without an answer of the service. */
const NO_ANSWER = new Set(['TimeoutError', 'AbortError', 'RequestTimeout']);

/**
 * Says whether an effect failed because a service was busy, unreachable or refused the caller. Then the same record may
 * succeed later. Every other error comes from the record itself or from a fault of ours
 * (`rules/storage.md#failed-records`).
 */
export function isServiceFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof Contention || NO_ANSWER.has(error.name)) return true;
  // `code` is set by the network of the runtime, `$metadata` by the SDK.
  return !REFUSALS.has(error.name) && ('$metadata' in error || 'code' in error);
}
