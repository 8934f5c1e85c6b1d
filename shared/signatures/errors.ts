/**
 * A bundle, a statement, a key or a trust root was refused. The message is a sentence that callers may see: it says what is wrong, and
 * with a signature that could not be verified it is the sentence of the library (rules/verified-evidence.md#refusals).
 */
export class SignatureError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'SignatureError';
  }
}

/** Errors of the kept libraries whose message is a sentence about what was verified. */
const NAMED = new Set(['VerificationError', 'PolicyError', 'ValidationError', 'RFC3161TimestampVerificationError']);

/**
 * Runs a step of a kept library. Whatever it throws becomes a refusal: its parsers throw not only errors of their own, but whatever broken
 * base64, DER or JSON makes their code throw.
 *
 * @param what begins the sentence of a failure that the library has no sentence for
 * @throws SignatureError
 */
export function withLibrary<T>(what: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (error instanceof SignatureError || !(error instanceof Error)) throw error;
    throw new SignatureError(isNamed(error) ? sentenceOf(error) : `${what} cannot be read: ${error.message}`, error);
  }
}

const isNamed = (error: Error): boolean => NAMED.has(error.name) || NAMED.has(error.constructor.name);

/** The sentence of an error, with the sentence of its cause and the fields that it names. */
function sentenceOf(error: Error): string {
  const fields = 'fields' in error && Array.isArray(error.fields) ? `: ${error.fields.join(', ')}` : '';
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return `${error.message}${fields}${cause}`;
}
