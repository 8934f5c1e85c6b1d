import type { ErrorKind, ServiceError } from '#shared/base/errors.ts';

/** How HTTP says an error: by its kind, and by nothing else of it. */
interface HttpError {
  status: number;
  headers: Readonly<Record<string, string>>;
}

const plain = (status: number): HttpError => ({ status, headers: {} });
/** Only for refusals that the same request can escape a moment later (rules/requests.md#retry-after). */
const tryAgain = (status: number): HttpError => ({ status, headers: { 'retry-after': '1' } });

/** The status and the headers of each kind of error (rules/requests.md#status-codes). */
const HTTP_ERRORS: Readonly<Record<ErrorKind, HttpError>> = {
  invalid: plain(400),
  unauthenticated: { status: 401, headers: { 'www-authenticate': 'Bearer realm="api", Basic realm="api"' } },
  refused: plain(403),
  'not-found': plain(404),
  'answer-too-large': plain(406),
  conflict: plain(409),
  contended: tryAgain(409),
  gone: plain(410),
  'too-large': plain(413),
  inconsistent: plain(422),
  /** With the headers of {@link LimitReached}. */
  limited: plain(429),
  broken: plain(500),
  busy: tryAgain(503),
  unavailable: { status: 503, headers: { 'retry-after': '30' } },
};

/** Returns the status and the headers of a kind of error. */
export const httpErrorOf = ({ kind }: { readonly kind: ErrorKind }): HttpError => HTTP_ERRORS[kind];

/** Returns the status of a kind of error. */
export const statusOf = (error: { readonly kind: ErrorKind }): number => httpErrorOf(error).status;

/** The body of every error answer. `detail` carries the longer sentence of a client where both exist. */
interface ErrorBody {
  message: string;
  errors?: Record<string, string>;
  detail?: string;
  error?: string;
  error_description?: string;
  request_id?: string;
}

export interface ErrorOptions {
  oauth?: boolean;
  requestId?: string;
}

/**
 * Returns the body of an error answer.
 *
 * @param oauth whether the body also has the fields of OAuth 2.0 (RFC 6749, section 5.2), for clients that know only these
 * @param requestId the same as in the header `X-Request-ID`
 */
export function errorBody(error: ServiceError, { oauth = false, requestId }: ErrorOptions = {}): ErrorBody {
  const { message, errors, detail } = error;
  return {
    ...(oauth && { error: oauthError(error), error_description: message }),
    message,
    ...(errors && { errors }),
    ...(detail !== undefined && { detail }),
    ...(requestId !== undefined && { request_id: requestId }),
  };
}

/** RFC 8693, section 2.2.2, gives every refused token and every wrong request the same code. */
function oauthError(error: ServiceError): string {
  const status = statusOf(error);
  if (status >= 500) return status === 503 ? 'temporarily_unavailable' : 'server_error';
  return error.errors && 'grant_type' in error.errors ? 'unsupported_grant_type' : 'invalid_request';
}
