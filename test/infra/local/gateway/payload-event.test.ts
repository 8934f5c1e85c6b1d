import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTarget, toEvent, type WireRequest } from '#infra/local/gateway/payload-event.ts';
import { readEvent } from '#shared/http/gateway-event.ts';

const requestWith = (overrides: Partial<WireRequest> = {}): WireRequest => ({
  method: 'GET',
  target: '/api/v2/flows/acme',
  headers: { host: ['localhost:8001'] },
  body: Buffer.alloc(0),
  sourceIp: '127.0.0.1',
  httpVersion: '1.1',
  requestId: 'request-1',
  at: Date.UTC(2026, 10, 21, 0, 8, 58),
  ...overrides,
});

const eventOf = (overrides: Partial<WireRequest> = {}) => {
  const request = requestWith(overrides);
  const target = parseTarget(request.target);
  if (!target) throw new Error(`Not a target: ${request.target}`);
  return toEvent(request, target, undefined);
};

describe('the event of the local gateway', () => {
  it('has the path decoded once and the query unchanged', () => {
    const event = eventOf({ target: '/api/v2/flows/a%20b/%2541?search=a%2Bb+c&x=%C3%A4' });
    expect(event.rawPath).toBe('/api/v2/flows/a b/%41');
    expect(event.requestContext.http.path).toBe('/api/v2/flows/a b/%41');
    expect(event.rawQueryString).toBe('search=a%2Bb+c&x=%C3%A4');
    expect(event.queryStringParameters).toEqual({ search: 'a+b c', x: 'ä' });
  });

  it('has the path cut at a decoded question mark', () => {
    const event = eventOf({ target: '/api/v2/flows/a%3Fb=1?c=2' });
    expect([event.rawPath, event.rawQueryString]).toEqual(['/api/v2/flows/a', 'c=2']);
  });

  it('does not exist for a path that is not valid percent-encoding', () => {
    expect(parseTarget('/api/v2/%zz')).toBeNull();
    expect(parseTarget('/api/v2/%ff')).toBeNull();
  });

  it('has repeated headers and parameters joined by commas, and a list of cookies', () => {
    const headers = { host: ['localhost:8001'], accept: ['a', 'b'], cookie: ['x=1; y=2', 'z=3'] };
    const event = eventOf({ headers, target: '/?a=1&a=2' });
    expect(event.headers).toMatchObject({ accept: 'a,b' });
    expect(event.headers).not.toHaveProperty('cookie');
    expect(event.cookies).toEqual(['x=1', 'y=2', 'z=3']);
    expect(event.queryStringParameters).toEqual({ a: '1,2' });
  });

  it('has forwarding headers of the gateway, not those of the caller', () => {
    const event = eventOf({ headers: { host: ['localhost:8001'], 'x-forwarded-proto': ['https'] } });
    expect(event.headers).toMatchObject({ 'x-forwarded-proto': 'http', 'x-forwarded-for': '127.0.0.1' });
    expect(event.requestContext.time).toBe('21/Nov/2026:00:08:58 +0000');
  });

  it.each([
    ['application/json; charset=utf-8', false],
    ['text/plain', false],
    ['application/xml', false],
    ['application/javascript', false],
    ['application/problem+json', true],
    ['application/octet-stream', true],
    ['multipart/form-data; boundary=x', true],
    [undefined, true],
  ])('hands over a body of type %s in base64: %s', (type, isBase64Encoded) => {
    const event = eventOf({
      headers: type === undefined ? {} : { 'content-type': [type] },
      body: Buffer.from('{"ä":1}'),
    });
    expect(event.isBase64Encoded).toBe(isBase64Encoded);
    expect(Buffer.from(event.body ?? '', isBase64Encoded ? 'base64' : 'utf8').toString()).toBe('{"ä":1}');
  });

  it('has no body and no parameters if the request has none', () => {
    const event = eventOf({ headers: { 'content-type': ['application/json; charset=utf-8'] } });
    expect(event).not.toHaveProperty('body');
    expect(event).not.toHaveProperty('queryStringParameters');
    expect(event).not.toHaveProperty('cookies');
  });

  it('contains every encoded segment of a path in decoded form', () => {
    const segment = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !/[/?]/.test(text));
    fc.assert(
      fc.property(segment, (name) => {
        const event = eventOf({ target: `/api/v2/flows/${encodeURIComponent(name)}` });
        expect(readEvent(event).path).toBe(`/api/v2/flows/${name}`);
      }),
    );
  });
});
