import { gzipSync } from 'node:zlib';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { ServiceError } from '#shared/base/errors.ts';
import { stringify } from '#shared/base/json-text.ts';
import { responseTooLarge } from '#shared/base/sentences.ts';
import type { Endpoint } from './endpoint.ts';
import { type ErrorOptions, errorBody, httpErrorOf } from './errors.ts';
import type { GatewayRequest } from './gateway-event.ts';
import { LimitReached } from './limits/limit-reached.ts';
import { acceptedCoding } from './negotiation/coding.ts';
import { hasVersion, weakTag } from './negotiation/etag.ts';
import type { Answer, Format } from './request.ts';

/** Larger answers (in bytes) are compressed if the caller accepts it (rules/requests.md#compression). */
export const COMPRESS_ABOVE = 16 * 1024;
/** Largest answer of a function in bytes, as encoded for the gateway (rules/requests.md#size-of-answers). */
export const LARGEST_ANSWER = 5.5 * 1024 * 1024;

export type Result = APIGatewayProxyStructuredResultV2 & { statusCode: number; headers: Record<string, string> };

export const CONTENT_TYPES = {
  json: 'application/json',
  text: 'text/plain; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  bytes: 'application/octet-stream',
  html: 'text/html; charset=utf-8',
  javascript: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
} as const;

/**
 * What a page of this service may load, run and call: only what the service itself serves. Pictures can be part of a style,
 * as `data:` addresses.
 */
export const PAGE_SOURCES: readonly string[] = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/** Forbids browsers and proxies to store an answer. */
export const NOT_STORED = { 'cache-control': 'no-store' };

/** Headers of every answer. They forbid caching evidence, framing pages and guessing content types. */
const COMMON_HEADERS = {
  ...NOT_STORED,
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};
const NO_CONTENT_SOURCES = "default-src 'none'; frame-ancestors 'none'";

/**
 * Builds the gateway's form of an answer. The body passes through the response schema of the endpoint, so fields
 * outside the schema cannot leave the service.
 *
 * @param headers of the request: `accept-encoding` and `if-none-match` are read
 * @throws Error if the answer does not fit its schema, which is a fault of the service
 * @throws ServiceError 406 if the answer is too large even when compressed
 */
export function toResult(
  endpoint: Endpoint,
  answer: Answer,
  headers: GatewayRequest['headers'],
  usual: Format = endpoint.produces ?? 'json',
): Result {
  const { success, successAsJson = success, successAs } = endpoint;
  const format = answer.form === 'csv' ? 'csv' : usual;
  const schemas = format === 'json' ? successAsJson : success;
  const schema = (answer.form ? successAs?.[answer.form] : schemas)?.[answer.status];
  if (!schema) throw new Error(`${endpoint.operation} answered ${answer.status}, which its definition does not have`);
  const body = schema.parse(answer.body);
  const result: Result = {
    statusCode: answer.status,
    headers: {
      ...(format !== 'html' && { 'content-security-policy': NO_CONTENT_SOURCES }),
      'content-type': endpoint.contentTypes?.[answer.status] ?? CONTENT_TYPES[format],
      ...lowerCase(answer.headers ?? {}),
    },
    ...(answer.cookies && { cookies: answer.cookies }),
  };
  // Only an endpoint whose success is bytes has this format.
  if (format === 'bytes') return withBytes(result, body as Buffer);
  const text = format === 'json' ? stringify(body) : String(body);
  // The tag stands for the content, so it is computed before the answer is compressed (rules/requests.md#etags).
  const etag = endpoint.method === 'GET' && format === 'json' && answer.status === 200 ? weakTag(text) : undefined;
  if (etag !== undefined) result.headers['etag'] = etag;
  if (etag !== undefined && hasVersion(headers['if-none-match'], etag)) return { ...result, statusCode: 304 };
  return fitted({ ...result, body: text }, headers['accept-encoding']);
}

/** The platform takes bytes as base64 only. They are hashes, so they are not compressed. */
function withBytes(result: Result, bytes: Buffer): Result {
  const body = bytes.toString('base64');
  if (body.length > LARGEST_ANSWER) throw responseTooLarge();
  return { ...result, body, isBase64Encoded: true };
}

const lowerCase = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

function fitted(result: Result, acceptEncoding: string | undefined): Result {
  const { body = '', headers } = result;
  const size = Buffer.byteLength(body);
  if (size <= COMPRESS_ABOVE) return result;
  if (acceptedCoding(acceptEncoding, ['gzip'])) {
    const packed = gzipSync(body).toString('base64');
    if (packed.length > LARGEST_ANSWER) throw responseTooLarge();
    return {
      ...result,
      headers: { ...headers, 'content-encoding': 'gzip', vary: 'accept-encoding' },
      body: packed,
      isBase64Encoded: true,
    };
  }
  // The platform encodes the answer of the function as JSON, which escapes each quotation mark of the body once
  // more.
  if (size > LARGEST_ANSWER || Buffer.byteLength(JSON.stringify(body)) > LARGEST_ANSWER) throw responseTooLarge();
  return { ...result, headers: { ...headers, vary: 'accept-encoding' } };
}

/** Builds the gateway's form of an error. @param options what the body has besides the sentence */
export const errorResult = (error: ServiceError, options: ErrorOptions = {}): Result => ({
  statusCode: httpErrorOf(error).status,
  headers: {
    'content-security-policy': NO_CONTENT_SOURCES,
    'content-type': CONTENT_TYPES.json,
    ...httpErrorOf(error).headers,
    ...(error instanceof LimitReached && error.headers),
  },
  body: stringify(errorBody(error, options)),
});

export const withCommonHeaders = (result: Result, requestId: string): Result => ({
  ...result,
  headers: { ...COMMON_HEADERS, 'x-request-id': requestId, ...result.headers },
});
