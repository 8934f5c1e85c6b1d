import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { RawJson } from '#shared/base/json-text.ts';
import { COMPRESS_ABOVE, errorResult, LARGEST_ANSWER, toResult, withCommonHeaders } from '#shared/http/answers.ts';
import { type Endpoint, endpoint } from '#shared/http/endpoint.ts';
import { busy, invalidKey } from '#shared/http/sentences.ts';

const definition = (schema: z.ZodType) =>
  endpoint({
    operation: 'example',
    method: 'GET',
    path: '/example',
    summary: 'Example',
    access: 'public',
    params: z.object({}),
    query: z.object({}),
    body: { kind: 'none' },
    success: { 200: schema },
    errors: [],
    handler: async () => ({ status: 200, body: null }),
  });
const text = definition(z.string());
const GZIP = { 'accept-encoding': 'gzip' };

describe('answers', () => {
  test('contain only fields of their schema, and raw texts unchanged', () => {
    const schema = z.object({ name: z.string(), data: z.unknown() });
    const body = { name: 'x', data: new RawJson('{"n":1.0}'), secret: 'pk' };
    expect(toResult(definition(schema), { status: 200, body }, {}).body).toBe('{"name":"x","data":{"n":1.0}}');
  });

  test('that do not fit their schema, or whose status has no schema, are faults', () => {
    expect(() => toResult(text, { status: 200, body: 1 }, {})).toThrow();
    expect(() => toResult(text, { status: 201, body: 'x' }, {})).toThrow('201');
  });

  test('answers of bytes are base64 for the gateway, whatever the bytes are, and are not compressed', () => {
    const bytes: Endpoint = { ...definition(z.instanceof(Buffer)), produces: 'bytes' };
    const body = Buffer.from(Array.from({ length: 2 * COMPRESS_ABOVE }, (_, i) => i % 256));
    const result = toResult(bytes, { status: 200, body }, GZIP);
    expect(result).toMatchObject({
      isBase64Encoded: true,
      headers: { 'content-type': 'application/octet-stream' },
    });
    expect(result.headers).not.toHaveProperty('content-encoding');
    expect(Buffer.from(result.body ?? '', 'base64').equals(body)).toBe(true);
    expect(toResult(bytes, { status: 200, body: Buffer.alloc(0) }, {}).body).toBe('');
    expect(() => toResult(bytes, { status: 200, body: Buffer.alloc(LARGEST_ANSWER) }, {})).toThrow('5.5 MB');
  });

  test('answers above 16 KB are compressed when the caller accepts it', () => {
    const body = 'x'.repeat(COMPRESS_ABOVE);
    const result = toResult(text, { status: 200, body }, { 'accept-encoding': 'deflate, GZIP;q=0.5' });
    expect(result).toMatchObject({
      isBase64Encoded: true,
      headers: { 'content-encoding': 'gzip', vary: 'accept-encoding' },
    });
    expect(gunzipSync(Buffer.from(result.body ?? '', 'base64')).toString()).toBe(JSON.stringify(body));
  });

  test.each([undefined, 'br', 'gzip;q=0', 'x-gzip'])('are not compressed for callers who accept %j', (accepts) => {
    const result = toResult(text, { status: 200, body: 'x'.repeat(COMPRESS_ABOVE) }, { 'accept-encoding': accepts });
    expect(result.isBase64Encoded).toBeUndefined();
  });

  test('that are small are never compressed', () => {
    expect(toResult(text, { status: 200, body: 'x' }, GZIP).headers).not.toHaveProperty('content-encoding');
  });

  test('answers above 5.5 MB are refused, counting the escapes of quotation marks', () => {
    expect(() => toResult(text, { status: 200, body: 'x'.repeat(LARGEST_ANSWER) }, {})).toThrow('5.5 MB');
    const quotes = '"'.repeat(LARGEST_ANSWER / 4 + 100);
    expect(() => toResult(text, { status: 200, body: quotes }, {})).toThrow('5.5 MB');
    expect(toResult(text, { status: 200, body: quotes }, GZIP).statusCode).toBe(200);
  });

  test('that stay above 5.5 MB when compressed are refused with 406', () => {
    const body = randomBytes(LARGEST_ANSWER / 2).toString('hex');
    expect(() => toResult(text, { status: 200, body }, GZIP)).not.toThrow();
    const more = randomBytes(LARGEST_ANSWER).toString('base64');
    expect(() => toResult(text, { status: 200, body: more }, GZIP)).toThrow(
      expect.objectContaining({ kind: 'answer-too-large' }),
    );
  });
});

describe('the tag of an answer', () => {
  const tagOf = (body: string, headers = {}) => toResult(text, { status: 200, body }, headers).headers['etag'];

  test('is the same for the same content, also if it is compressed, and another for other content', () => {
    const body = 'x'.repeat(COMPRESS_ABOVE);
    expect(tagOf(body)).toMatch(/^W\/"[\w-]{27}"$/);
    expect(tagOf(body, GZIP)).toBe(tagOf(body));
    expect(tagOf(`${body}y`)).not.toBe(tagOf(body));
  });

  test.each([
    ['the tag', (tag: string) => tag],
    ['the tag in its strong form', (tag: string) => tag.replace('W/', '')],
    ['several tags', (tag: string) => `"a", W/"b",${tag}`],
    ['any tag', () => '*'],
  ])('makes the answer 304 without a body for a caller who names %s', (_, sent) => {
    const result = toResult(text, { status: 200, body: 'x' }, { 'if-none-match': sent(tagOf('x') ?? '') });
    expect(result).toMatchObject({ statusCode: 304, headers: { etag: tagOf('x') } });
    expect(result.body).toBeUndefined();
  });

  test.each(['"other"', '', 'W/"x"'])('does not change the answer for a caller who names %j', (sent) => {
    expect(toResult(text, { status: 200, body: 'x' }, { 'if-none-match': sent })).toMatchObject({ statusCode: 200 });
  });

  test('is only in successes of GET with JSON', () => {
    const asked = { 'if-none-match': '*' };
    const others: Endpoint[] = [
      { ...text, method: 'POST' },
      { ...text, produces: 'text' },
      { ...definition(z.instanceof(Buffer)), produces: 'bytes' },
    ];
    for (const other of others) {
      const body = other.produces === 'bytes' ? Buffer.alloc(1) : 'x';
      const result = toResult(other, { status: 200, body }, asked);
      expect(result.statusCode).toBe(200);
      expect(result.headers).not.toHaveProperty('etag');
    }
    expect(errorResult(invalidKey()).headers).not.toHaveProperty('etag');
  });
});

describe('refusals', () => {
  test('contain their sentence and headers and nothing of their cause', () => {
    expect(errorResult(invalidKey({}, { cause: new Error('secret') }))).toMatchObject({
      statusCode: 401,
      headers: { 'www-authenticate': 'Bearer realm="api", Basic realm="api"', 'content-type': 'application/json' },
      body: '{"message":"Invalid or expired API key"}',
    });
  });

  test('that are temporary have a Retry-After header', () => {
    expect(withCommonHeaders(errorResult(busy()), 'r-1').headers).toMatchObject({
      'retry-after': '1',
      'x-request-id': 'r-1',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
  });
});
