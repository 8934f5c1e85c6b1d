/**
 * The body of every error answer. `detail` carries the longer sentence of a client where both exist
 * (rules/requests.md#sentences-in-conflict).
 */
export interface ErrorBody {
  message: string;
  errors?: Record<string, string>;
  detail?: string;
  error?: string;
  error_description?: string;
}

/**
 * An error that the caller is shown. Everything else that is thrown is a fault: it is logged, answered as 500, and its
 * text is hidden.
 */
export class ApiError extends Error {
  readonly status: number;
  readonly errors: Record<string, string> | undefined;
  readonly detail: string | undefined;
  readonly headers: Record<string, string>;

  constructor(
    status: number,
    message: string,
    more: { errors?: Record<string, string>; detail?: string; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.name = 'ApiError';
    this.status = status;
    this.errors = more.errors;
    this.detail = more.detail;
    this.headers = more.headers ?? {};
  }

  /**
   * @param oauth whether the body also has the fields of OAuth 2.0 (RFC 6749, section 5.2), for clients that know only these
   */
  toBody({ oauth = false } = {}): ErrorBody {
    return {
      ...(oauth && { error: oauthError(this), error_description: this.message }),
      message: this.message,
      ...(this.errors && { errors: this.errors }),
      ...(this.detail !== undefined && { detail: this.detail }),
    };
  }
}

/** RFC 8693, section 2.2.2, gives every refused token and every wrong request the same code. */
function oauthError({ status, errors }: ApiError): string {
  if (status >= 500) return status === 503 ? 'temporarily_unavailable' : 'server_error';
  return errors && 'grant_type' in errors ? 'unsupported_grant_type' : 'invalid_request';
}

type Blanks = Record<string, string | number>;

/** A fixed error sentence: its status, its text with `{blanks}`, and a call that creates the error. */
export interface Sentence {
  (blanks?: Blanks, more?: { detail?: string; cause?: unknown }): ApiError;
  readonly status: number;
  readonly text: string;
  readonly headers: Record<string, string>;
}

/**
 * @param errors texts by field, with the same blanks, for a sentence about one field of the request. Every 400 of the 18
 *   endpoints of the API document has them (rules/requests.md#validation-errors)
 */
export function sentence(
  status: number,
  text: string,
  { headers = {}, errors }: { headers?: Record<string, string>; errors?: Record<string, string> } = {},
): Sentence {
  const make = (blanks: Blanks = {}, more: { detail?: string; cause?: unknown } = {}) =>
    new ApiError(status, fill(text, blanks), { ...more, headers, ...(errors && { errors: filled(errors, blanks) }) });
  return Object.assign(make, { status, text, headers });
}

const fill = (text: string, blanks: Blanks) =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => String(blanks[name] ?? whole));

const filled = (texts: Record<string, string>, blanks: Blanks) =>
  Object.fromEntries(Object.entries(texts).map(([field, text]) => [field, fill(text, blanks)]));

export const VALIDATION_FAILED = 'Input payload validation failed';

/** Creates a 400 with texts by field (rules/requests.md#validation-errors). */
export const invalid = (errors: Record<string, string>, cause?: unknown): ApiError =>
  new ApiError(400, VALIDATION_FAILED, { errors, cause });
