/**
 * What an error means to its caller. A door maps the kind to its own words: `shared/http/errors.ts` to a status and headers.
 * - `conflict`: another record has the name, or the state does not allow the change. `contended` and `busy`: the same call
 *   can succeed a moment later.
 * - `inconsistent`: two values that each are valid do not fit together.
 * - `limited`: the caller sends more than it may.
 * - `broken`: stored data contradicts itself or the log.
 * - `unavailable`: the stage takes no such call for some time.
 */
export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'refused'
  | 'not-found'
  | 'conflict'
  | 'contended'
  | 'gone'
  | 'too-large'
  | 'answer-too-large'
  | 'inconsistent'
  | 'broken'
  | 'limited'
  | 'busy'
  | 'unavailable';

interface ErrorDetails {
  /** Texts by field of the input. */
  errors?: Record<string, string>;
  /** The longer sentence of a client, where both exist (rules/requests.md#sentences-in-conflict). */
  detail?: string;
  cause?: unknown;
}

/**
 * An error that the caller is shown. Everything else that is thrown is a fault of the service, whose text stays in the
 * log.
 */
export class ServiceError extends Error {
  readonly kind: ErrorKind;
  readonly errors: Record<string, string> | undefined;
  readonly detail: string | undefined;

  constructor(kind: ErrorKind, message: string, { errors, detail, cause }: ErrorDetails = {}) {
    super(message, { cause });
    this.name = 'ServiceError';
    this.kind = kind;
    this.errors = errors;
    this.detail = detail;
  }
}

type Blanks = Record<string, string | number>;

/** A fixed error sentence: its kind, its text with `{blanks}`, and a call that creates the error. */
export interface Sentence {
  (blanks?: Blanks, more?: Pick<ErrorDetails, 'detail' | 'cause'>): ServiceError;
  readonly kind: ErrorKind;
  readonly text: string;
}

/**
 * @param errors texts by field, with the same blanks, for a sentence about one field of the input
 *   (rules/requests.md#validation-errors)
 */
export function sentence(kind: ErrorKind, text: string, { errors }: Pick<ErrorDetails, 'errors'> = {}): Sentence {
  const make = (blanks: Blanks = {}, more: Pick<ErrorDetails, 'detail' | 'cause'> = {}) =>
    new ServiceError(kind, fill(text, blanks), { ...more, ...(errors && { errors: filled(errors, blanks) }) });
  return Object.assign(make, { kind, text });
}

const fill = (text: string, blanks: Blanks) =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => String(blanks[name] ?? whole));

const filled = (texts: Record<string, string>, blanks: Blanks) =>
  Object.fromEntries(Object.entries(texts).map(([field, text]) => [field, fill(text, blanks)]));

export const VALIDATION_FAILED = 'Input payload validation failed';

/** Creates the error for input with errors, given the text of each field (rules/requests.md#validation-errors). */
export const invalid = (errors: Record<string, string>, cause?: unknown): ServiceError =>
  new ServiceError('invalid', VALIDATION_FAILED, { errors, cause });
