import { ApiError } from '#shared/base/errors.ts';
import { Contention } from '#shared/base/retry.ts';
import { busy, conflict, internal, notFound } from './sentences.ts';

/** Names that AWS gives to throttling and to conflicts which its own retries did not outlast. */
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
/** Codes of connections that failed. */
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
  statusCode?: number;
  cause?: { package?: string };
  $metadata?: { httpStatusCode?: number };
}

/** Whether AWS was throttled, failing or unreachable after the SDK's own retries (semantics §1.3). */
function isBusy({ name = '', code = '', $metadata }: Fault): boolean {
  return AWS_BUSY.has(name) || UNREACHABLE.has(code) || ($metadata?.httpStatusCode ?? 0) >= 500;
}

const isNoRoute = ({ statusCode, cause }: Fault) => statusCode === 404 && cause?.package === '@middy/http-router';

/**
 * What the caller is told about anything that was thrown. The cause travels with the answer into the log and never
 * further.
 *
 * @param idempotent whether the request carries an Idempotency-Key: its loss against other writers may be one against
 *   its own first try, which is a 409 (design §3, «Idempotency»)
 */
export function toApiError(error: unknown, { idempotent = false } = {}): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof Contention) return idempotent ? conflict({}, { cause: error }) : busy({}, { cause: error });
  const fault = (typeof error === 'object' && error !== null ? error : {}) as Fault;
  if (isNoRoute(fault)) return notFound();
  return isBusy(fault) ? busy({}, { cause: error }) : internal({}, { cause: error });
}
