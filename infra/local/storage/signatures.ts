import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isLocalAccessKeyId, LOCAL } from '../settings.ts';
import { accessDenied, S3Failure } from './s3-failure.ts';

/** The parts of a request that a signature covers. */
interface SignedRequest {
  method: string;
  /** Path and query as sent. */
  url: string;
  headers: IncomingHttpHeaders;
}

/** What a valid signature tells. */
interface Signed {
  accessKeyId: string;
  /** The SHA-256 (hex) that the body must have, if the signature covers it. */
  sha256?: string;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';
/** How far the clock of the signer may differ from ours, in seconds. */
const SKEW_SECONDS = 900;
const LONGEST_EXPIRY_SECONDS = 604_800;
const UNSIGNED = 'UNSIGNED-PAYLOAD';

/**
 * Checks a signature (Signature Version 4) in the `Authorization` header or in the query of a presigned address.
 *
 * @param nowMillis milliseconds since the epoch
 * @throws S3Failure with the status and the code of S3
 */
export function checkSignature(request: SignedRequest, nowMillis: number): Signed {
  const query = new URLSearchParams(rawQuery(request.url));
  const isPresigned = query.has('X-Amz-Signature') || query.has('X-Amz-Algorithm');
  return isPresigned ? checkPresigned(request, query, nowMillis) : checkAuthorization(request, nowMillis);
}

function checkPresigned(request: SignedRequest, query: URLSearchParams, nowMillis: number): Signed {
  const [algorithm, credential, date, expires, signedHeaders, signature] = [
    'X-Amz-Algorithm',
    'X-Amz-Credential',
    'X-Amz-Date',
    'X-Amz-Expires',
    'X-Amz-SignedHeaders',
    'X-Amz-Signature',
  ].map((name) => {
    const value = query.get(name);
    if (value !== null && value !== '') return value;
    throw new S3Failure(400, 'AuthorizationQueryParametersError', `Query-string authentication requires ${name}`);
    // `map` keeps the number of parameters, and forgets it in the type.
  }) as [string, string, string, string, string, string];
  if (algorithm !== ALGORITHM) {
    throw new S3Failure(400, 'AuthorizationQueryParametersError', `X-Amz-Algorithm only supports "${ALGORITHM}"`);
  }
  const seconds = Number(expires);
  if (!/^\d+$/.test(expires) || seconds < 1 || seconds > LONGEST_EXPIRY_SECONDS) {
    throw new S3Failure(
      400,
      'AuthorizationQueryParametersError',
      'X-Amz-Expires must be between 1 and a week in seconds',
    );
  }
  const signedAt = millisOf(date);
  if (signedAt > nowMillis + SKEW_SECONDS * 1000) throw accessDenied('Request is not valid yet');
  const end = signedAt + seconds * 1000;
  if (nowMillis > end) {
    throw accessDenied('Request has expired', {
      'X-Amz-Expires': expires,
      Expires: isoDate(end),
      ServerTime: isoDate(nowMillis),
    });
  }
  verify({ request, credential, date, signedHeaders, signature, payload: UNSIGNED });
  return { accessKeyId: keyIdOf(credential) };
}

function checkAuthorization(request: SignedRequest, nowMillis: number): Signed {
  const { authorization } = request.headers;
  if (authorization === undefined) throw accessDenied();
  const parts = /^AWS4-HMAC-SHA256 Credential=([^,\s]+),\s*SignedHeaders=([^,\s]+),\s*Signature=([0-9a-f]{64})$/.exec(
    authorization,
  );
  if (!parts) throw new S3Failure(400, 'AuthorizationHeaderMalformed', 'The authorization header is malformed');
  const [, credential = '', signedHeaders = '', signature = ''] = parts;
  const date = single(request.headers['x-amz-date']);
  const payload = single(request.headers['x-amz-content-sha256']);
  if (payload === '') {
    throw new S3Failure(400, 'InvalidRequest', 'Missing required header for this request: x-amz-content-sha256');
  }
  if (Math.abs(millisOf(date) - nowMillis) > SKEW_SECONDS * 1000) {
    throw new S3Failure(
      403,
      'RequestTimeTooSkewed',
      'The difference between the request time and the current time is too large',
    );
  }
  verify({ request, credential, date, signedHeaders, signature, payload });
  return { accessKeyId: keyIdOf(credential), ...(/^[0-9a-f]{64}$/.test(payload) && { sha256: payload }) };
}

interface Claim {
  request: SignedRequest;
  credential: string;
  date: string;
  signedHeaders: string;
  signature: string;
  payload: string;
}

function verify({ request, credential, date, signedHeaders, signature, payload }: Claim): void {
  const scope = scopeOf(credential, date);
  const names = signedHeaders.split(';');
  if (!names.includes('host'))
    throw new S3Failure(403, 'AccessDenied', 'There were headers present which were not signed');
  const canonical = [
    request.method,
    canonicalPath(request.url),
    canonicalQuery(rawQuery(request.url)),
    ...names.map((name) => `${name}:${single(request.headers[name]).trim().replace(/ +/g, ' ')}`),
    '',
    signedHeaders,
    payload,
  ].join('\n');
  const text = [ALGORITHM, date, scope, createHash('sha256').update(canonical).digest('hex')].join('\n');
  compareSignature(text, scope, signature);
}

/**
 * Compares a signature with the signature that the local secret gives for the same text.
 *
 * @param scope `<date>/<region>/<service>/aws4_request`
 * @throws S3Failure SignatureDoesNotMatch
 */
export function compareSignature(text: string, scope: string, signature: string): void {
  const key = scope
    .split('/')
    .reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${LOCAL.credentials.secretAccessKey}`);
  const expected = hmac(key, text);
  const given = Buffer.from(signature, 'hex');
  if (given.length === expected.length && timingSafeEqual(given, expected)) return;
  throw new S3Failure(
    403,
    'SignatureDoesNotMatch',
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
    { AWSAccessKeyId: LOCAL.credentials.accessKeyId },
  );
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/** Returns the access key id of a credential `<key id>/<scope>`. */
export const keyIdOf = (credential: string): string => credential.split('/', 1)[0] ?? '';

/**
 * Returns the scope of a credential `<key id>/<scope>`.
 *
 * @param date time of the request, `YYYYMMDDTHHMMSSZ`
 * @throws S3Failure if key, day, region or service is wrong
 */
export function scopeOf(credential: string, date: string): string {
  const [keyId, ...scope] = credential.split('/');
  if (keyId === undefined || !isLocalAccessKeyId(keyId)) {
    throw new S3Failure(403, 'InvalidAccessKeyId', 'The AWS Access Key Id you provided does not exist in our records.');
  }
  const expected = [date.slice(0, 8), LOCAL.region, 's3', 'aws4_request'];
  if (scope.join('/') !== expected.join('/')) {
    throw new S3Failure(400, 'AuthorizationHeaderMalformed', `The credential scope must be ${expected.join('/')}`);
  }
  return expected.join('/');
}

function millisOf(date: string): number {
  const iso = date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z');
  const millis = Date.parse(iso);
  if (iso === date || Number.isNaN(millis))
    throw accessDenied('AWS authentication requires a valid Date or x-amz-date header');
  return millis;
}

const isoDate = (millis: number) => new Date(millis).toISOString().replace(/\.\d+/, '');

const single = (value: string | string[] | undefined): string =>
  Array.isArray(value) ? value.join(',') : (value ?? '');

const rawQuery = (url: string) => (url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');

/** Returns the path in the encoding that signatures cover. */
const canonicalPath = (url: string) => decodedPath(url).split('/').map(encodeStrictly).join('/');

/**
 * Returns the path of a request, decoded once.
 *
 * @throws S3Failure if the path is not valid percent-encoding
 */
export function decodedPath(url: string): string {
  return decode(url.split('?', 1)[0] ?? '');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new S3Failure(400, 'InvalidURI', "Couldn't parse the specified URI.", {}, cause);
  }
}

const canonicalQuery = (query: string) =>
  query
    .split('&')
    .filter((pair) => pair !== '' && !pair.startsWith('X-Amz-Signature='))
    .map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return `${encodeStrictly(decode(name))}=${encodeStrictly(decode(value.join('=')))}`;
    })
    .sort((a, b) => (a < b ? -1 : 1))
    .join('&');

/** Percent-encodes all characters except letters, digits and `-._~`. */
export const encodeStrictly = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
