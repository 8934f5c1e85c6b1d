import { SignatureError } from './errors.ts';
import { isObject, parseObject } from './strict-json.ts';

/** The type of payloads that are in-toto statements. */
const PAYLOAD_TYPE = 'application/vnd.in-toto+json';
const STATEMENT_TYPES = new Set(['https://in-toto.io/Statement/v0.1', 'https://in-toto.io/Statement/v1']);
/** The most subjects of a statement. */
const MOST_SUBJECTS = 1024;

/** What a statement is about. */
interface Subject {
  /** Empty if the statement gives no name. */
  readonly name: string;
  /** Digests by algorithm, as the statement writes them. There is at least one. */
  readonly digest: Readonly<Record<string, string>>;
}

/** An in-toto statement: what somebody says about subjects. */
export interface Statement {
  readonly predicateType: string;
  readonly subjects: readonly Subject[];
  readonly predicate: unknown;
}

/**
 * Reads the payload of an envelope as an in-toto statement (rules/verified-evidence.md#statements).
 *
 * @throws SignatureError if the payload has another type or is no statement about at least one subject with a digest
 */
export function readStatement({ payloadType, payload }: { payloadType: string; payload: Buffer }): Statement {
  if (payloadType !== PAYLOAD_TYPE) {
    throw new SignatureError(`The payload has the type '${payloadType}'. It should be '${PAYLOAD_TYPE}'`);
  }
  const what = 'The signed statement';
  const { _type: type, predicateType, subject, predicate } = parseObject(what, textOf(payload));
  if (typeof type !== 'string' || !STATEMENT_TYPES.has(type)) {
    throw new SignatureError(
      `${what} has the type '${String(type)}'. It should be one of: ${[...STATEMENT_TYPES].join(', ')}`,
    );
  }
  if (typeof predicateType !== 'string' || predicateType === '')
    throw new SignatureError(`${what} has no predicate type`);
  if (!Array.isArray(subject) || subject.length === 0) throw new SignatureError(`${what} has no subject`);
  if (subject.length > MOST_SUBJECTS) {
    throw new SignatureError(`${what} has ${subject.length} subjects. The most are ${MOST_SUBJECTS}`);
  }
  return { predicateType, subjects: subject.map(readSubject), predicate };
}

function readSubject(subject: unknown, index: number): Subject {
  const { name = '', digest } = isObject(subject) ? subject : {};
  const digests = isObject(digest) ? Object.entries(digest) : [];
  const isDigest = (entry: [string, unknown]): entry is [string, string] =>
    typeof entry[1] === 'string' && entry[1] !== '';
  if (digests.length === 0 || !digests.every(isDigest) || typeof name !== 'string') {
    throw new SignatureError(`Subject ${index + 1} of the signed statement has no digest, or no text as its name`);
  }
  return { name, digest: Object.fromEntries(digests) };
}

/** @throws SignatureError if the bytes are no UTF-8: a reader that replaces them reads another text than the signed one */
function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new SignatureError('The text is not UTF-8', error);
  }
}

/**
 * Requires that the statement is about an artifact. The library does not look at subjects.
 * @param sha256 64 hexadecimal digits
 * @throws SignatureError with the digests that were found
 */
export function requireSubject({ subjects }: Statement, sha256: string): void {
  if (subjects.some(({ digest }) => Object.hasOwn(digest, 'sha256') && digest['sha256'] === sha256)) return;
  const found = subjects.flatMap(({ digest }) => Object.entries(digest).map(([name, value]) => `${name}:${value}`));
  const more = found.length > 3 ? ` and ${found.length - 3} more` : '';
  throw new SignatureError(
    `No subject of the statement has the SHA-256 ${sha256}. It names ${found.slice(0, 3).join(', ')}${more}`,
  );
}
