import { accessDenied, invalidArgument, S3Failure } from './s3-failure.ts';
import { compareSignature, keyIdOf, scopeOf } from './signatures.ts';

/** A form upload: its fields by lower-case name, and the size of its file in bytes. */
interface PostForm {
  bucket: string;
  fields: ReadonlyMap<string, string>;
  size: number;
}

/** Fields that may be sent without a condition in the policy. */
const UNCONDITIONAL_FIELDS = new Set(['policy', 'x-amz-signature', 'file', 'awsaccesskeyid']);

/**
 * Checks a form upload against the policy in its fields, in the order of S3: signature, expiry, conditions, other fields.
 *
 * @param nowMillis milliseconds since the epoch
 * @returns the access key id of the signer
 * @throws S3Failure with the status and the code of S3
 */
export function checkPostPolicy(form: PostForm, nowMillis: number): string {
  const encoded = form.fields.get('policy');
  if (encoded === undefined) throw accessDenied();
  const accessKeyId = checkPolicySignature(form.fields, encoded);
  const { expiration, conditions } = parsePolicy(encoded);
  if (expiration < nowMillis) throw refused('Policy expired');

  const allowed = new Set<string>();
  for (const condition of conditions) checkCondition(condition, form, allowed);
  for (const name of form.fields.keys()) {
    if (!UNCONDITIONAL_FIELDS.has(name) && !name.startsWith('x-ignore-') && !allowed.has(name)) {
      throw refused(`Extra input fields: ${name}`);
    }
  }
  return accessKeyId;
}

function checkPolicySignature(fields: ReadonlyMap<string, string>, policy: string): string {
  const [algorithm, credential, date, signature] = [
    'x-amz-algorithm',
    'x-amz-credential',
    'x-amz-date',
    'x-amz-signature',
  ].map((name) => {
    const value = fields.get(name);
    if (value !== undefined && value !== '') return value;
    throw invalidArgument(`Bucket POST must contain a field named '${name}'.`, name, '');
    // `map` keeps the number of fields, and forgets it in the type.
  }) as [string, string, string, string];
  if (algorithm !== 'AWS4-HMAC-SHA256') {
    throw invalidArgument('Only AWS4-HMAC-SHA256 is supported', 'x-amz-algorithm', algorithm);
  }
  compareSignature(policy, scopeOf(credential, date), signature);
  return keyIdOf(credential);
}

type Condition =
  | { kind: 'eq' | 'starts-with'; name: string; value: string }
  | { kind: 'content-length-range'; least: number; most: number };

function parsePolicy(encoded: string): { expiration: number; conditions: Condition[] } {
  let document: unknown;
  try {
    document = JSON.parse(Buffer.from(encoded, 'base64').toString('utf8'));
  } catch (cause) {
    throw new S3Failure(400, 'InvalidPolicyDocument', 'Invalid Policy: Invalid JSON.', {}, cause);
  }
  // Both members are checked below; any other JSON value has neither.
  const { expiration, conditions } = (document ?? {}) as { expiration?: unknown; conditions?: unknown };
  const end = typeof expiration === 'string' ? Date.parse(expiration) : Number.NaN;
  if (Number.isNaN(end)) throw invalidPolicy('Policy is missing expiration.');
  if (!Array.isArray(conditions)) throw invalidPolicy('Policy is missing conditions.');
  return { expiration: end, conditions: conditions.flatMap(parseCondition) };
}

function parseCondition(condition: unknown): Condition[] {
  if (Array.isArray(condition)) {
    const [kind, first, second]: unknown[] = condition;
    const operator = String(kind).toLowerCase();
    if (operator === 'content-length-range' && isSize(first) && isSize(second)) {
      return [{ kind: operator, least: Number(first), most: Number(second) }];
    }
    if ((operator === 'eq' || operator === 'starts-with') && typeof first === 'string' && first.startsWith('$')) {
      return [{ kind: operator, name: first.slice(1).toLowerCase(), value: String(second) }];
    }
    throw invalidPolicy('Invalid condition.');
  }
  if (typeof condition !== 'object' || condition === null) throw invalidPolicy('Invalid condition.');
  return Object.entries(condition).map(([name, value]) => ({
    kind: 'eq',
    name: name.toLowerCase(),
    value: String(value),
  }));
}

const isSize = (value: unknown) => /^\d+$/.test(String(value));

const invalidPolicy = (reason: string) => new S3Failure(400, 'InvalidPolicyDocument', `Invalid Policy: ${reason}`);
const refused = (reason: string) => accessDenied(`Invalid according to Policy: ${reason}`);

function checkCondition(condition: Condition, form: PostForm, allowed: Set<string>): void {
  if (condition.kind === 'content-length-range') {
    const { least, most } = condition;
    const sizes = { ProposedSize: form.size };
    if (form.size > most) {
      throw new S3Failure(400, 'EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size', {
        ...sizes,
        MaxSizeAllowed: most,
      });
    }
    if (form.size < least) {
      throw new S3Failure(400, 'EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size', {
        ...sizes,
        MinSizeAllowed: least,
      });
    }
    return;
  }
  const { kind, name, value } = condition;
  allowed.add(name);
  const given = name === 'bucket' ? form.bucket : form.fields.get(name);
  const holds = given !== undefined && (kind === 'eq' ? given === value : given.startsWith(value));
  if (!holds) throw refused(`Policy Condition failed: ["${kind}", "$${name}", "${value}"]`);
}
