import { gzipSync } from 'node:zlib';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { ApiError } from '#shared/base/errors.ts';
import { stringify } from '#shared/base/json-text.ts';
import type { Answer, Endpoint } from './endpoint.ts';
import { responseTooLarge } from './sentences.ts';

/** Above this size in bytes an answer is compressed where the caller accepts it (design §3, «Responses»). */
export const COMPRESS_ABOVE = 256 * 1024;
/** A function may answer this many bytes, as encoded for the gateway (design §3, «Responses»). */
export const LARGEST_ANSWER = 5.5 * 1024 * 1024;

export type Result = APIGatewayProxyStructuredResultV2 & { statusCode: number; headers: Record<string, string> };

export const CONTENT_TYPES = {
  json: 'application/json',
  text: 'text/plain; charset=utf-8',
  html: 'text/html; charset=utf-8',
  javascript: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
} as const;

/** Headers that every answer carries. Evidence is nobody's to cache; nothing here is to be framed or sniffed. */
const COMMON_HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};
const NO_CONTENT_SOURCES = "default-src 'none'; frame-ancestors 'none'";

/**
 * An answer in the gateway's form, built through the endpoint's response schema so that nothing else can leave.
 * @throws Error when the answer does not fit its schema: a fault of ours
 * @throws ApiError 406 when it stays too large
 */
export function toResult(endpoint: Endpoint, answer: Answer, acceptEncoding: string | undefined): Result {
  const schema = endpoint.success[answer.status];
  if (!schema) throw new Error(`${endpoint.operation} answered ${answer.status}, which its definition does not have`);
  const { produces = 'json' } = endpoint;
  const body = schema.parse(answer.body);
  const result: Result = {
    statusCode: answer.status,
    headers: {
      ...(produces !== 'html' && { 'content-security-policy': NO_CONTENT_SOURCES }),
      'content-type': CONTENT_TYPES[produces],
      ...lowerCase(answer.headers ?? {}),
    },
    body: produces === 'json' ? stringify(body) : String(body),
  };
  return fitted(result, acceptEncoding);
}

const lowerCase = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

function fitted(result: Result, acceptEncoding: string | undefined): Result {
  const { body = '', headers } = result;
  const size = Buffer.byteLength(body);
  if (size <= COMPRESS_ABOVE) return result;
  if (acceptsGzip(acceptEncoding)) {
    const packed = gzipSync(body).toString('base64');
    if (packed.length > LARGEST_ANSWER) throw responseTooLarge();
    return {
      ...result,
      headers: { ...headers, 'content-encoding': 'gzip', vary: 'accept-encoding' },
      body: packed,
      isBase64Encoded: true,
    };
  }
  // The function's answer is JSON itself: quotation marks in the body are escaped once more on their way out.
  if (size > LARGEST_ANSWER || Buffer.byteLength(JSON.stringify(body)) > LARGEST_ANSWER) throw responseTooLarge();
  return { ...result, headers: { ...headers, vary: 'accept-encoding' } };
}

function acceptsGzip(acceptEncoding = ''): boolean {
  return acceptEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.split(';').map((part) => part.trim()))
    .some(
      ([name, ...parameters]) => name === 'gzip' && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)),
    );
}

/** A refusal in the gateway's form. */
export const errorResult = (error: ApiError): Result => ({
  statusCode: error.status,
  headers: {
    'content-security-policy': NO_CONTENT_SOURCES,
    'content-type': CONTENT_TYPES.json,
    ...lowerCase(error.headers),
  },
  body: stringify(error.toBody()),
});

export const withCommonHeaders = (result: Result, requestId: string): Result => ({
  ...result,
  headers: { ...COMMON_HEADERS, 'x-request-id': requestId, ...result.headers },
});
