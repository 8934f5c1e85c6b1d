import { Agent, type IncomingMessage, request as sendRequest } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type FunctionHandler, type Gateway, startGateway } from '#infra/local/gateway/gateway.ts';
import { type Endpoint, type EndpointGroup, endpoint, type Method } from '#shared/http/endpoint.ts';

const MIB = 1024 * 1024;

const route = (method: Method, path: string): Endpoint =>
  endpoint({
    operation: `${method} ${path}`,
    method,
    path,
    summary: path,
    access: 'public',
    params: z.object({}),
    query: z.object({}),
    body: { kind: 'none' },
    success: { 200: z.unknown() },
    errors: [],
    handler: async () => ({ status: 200, body: null }),
  });

const group: EndpointGroup = {
  name: 'probe',
  endpoints: [
    route('GET', '/things/{org}'),
    route('GET', '/things/special'),
    route('GET', '/things/{org}/{name}'),
    route('POST', '/things/{org}'),
    route('GET', 'root:/ready'),
  ],
};

/** Its endpoint lies below the prefix of another group. */
const things: EndpointGroup = { name: 'things', endpoints: [route('GET', '/things/{org}/parts/{part}')] };

/** Returns its event as the answer. A query parameter selects another behaviour. */
const echo: FunctionHandler = async (event) => {
  const act = event.queryStringParameters?.['act'];
  if (act === 'throw') throw new Error('secret reason');
  if (act === 'large') return { statusCode: 200, body: 'x'.repeat(6 * MIB) };
  if (act === 'wait') return new Promise(() => undefined);
  if (act === 'binary') {
    return {
      statusCode: 201,
      body: Buffer.from([0, 255]).toString('base64'),
      isBase64Encoded: true,
      cookies: ['a=1', 'b=2'],
    };
  }
  return { statusCode: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(event) };
};

/** The function of the group that owns the prefix `/things`. */
const below: FunctionHandler = async ({ routeKey, pathParameters }) => ({
  statusCode: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ function: 'things', routeKey, pathParameters }),
});

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({
    groups: [group, things],
    functionOf: ({ name }) => (name === 'things' ? below : echo),
    defaultFunction: async () => ({ statusCode: 404, body: JSON.stringify({ message: 'Not Found' }) }),
    port: 0,
    timeoutMillis: 1_500,
  });
});

afterAll(() => gateway.stop());

const get = (path: string, init: RequestInit = {}) => fetch(gateway.url + path, init);
const eventOf = async (response: Response) => (await response.json()) as APIGatewayProxyEventV2;

interface Raw {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: Buffer;
  agent?: Agent;
}

/** Sends a request with exactly this path and these headers. */
const sendRaw = ({ body, ...options }: Raw): Promise<{ status: number | undefined; body: string }> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(gateway.url);
    const answered = (answer: IncomingMessage) =>
      text(answer).then((received) => resolve({ status: answer.statusCode, body: received }), reject);
    sendRequest({ hostname, port, ...options }, answered)
      .on('error', reject)
      .end(body);
  });

describe('the local gateway', () => {
  it('routes requests by the endpoint definitions; fixed segments win over parameters', async () => {
    expect((await eventOf(await get('/api/v2/things/acme'))).routeKey).toBe('GET /api/v2/things/{org}');
    expect((await eventOf(await get('/api/v2/things/special'))).routeKey).toBe('GET /api/v2/things/special');
    const event = await eventOf(await get('/api/v2/things/acme/a%20b'));
    expect(event.pathParameters).toEqual({ org: 'acme', name: 'a b' });
    expect((await eventOf(await get('/ready'))).routeKey).toBe('GET /ready');
  });

  it('calls the function of a prefix for every other path and method below the prefix', async () => {
    const all = { function: 'things', routeKey: 'ANY /api/v2/things/{proxy+}' };
    for (const path of ['acme/parts/1', 'a%2Fb/c', 'acme/', 'acme/parts/1/']) {
      const proxy = decodeURIComponent(path);
      expect(await eventOf(await get(`/api/v2/things/${path}`))).toEqual({ ...all, pathParameters: { proxy } });
    }
    for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const answer = await eventOf(await get('/api/v2/things/acme', { method }));
      expect(answer).toEqual({ ...all, pathParameters: { proxy: 'acme' } });
    }
  });

  it.each(['/api/v2/things', '/api/v2/things/', '/api/v2/thing/acme', '/things/acme', '/', '/api/v2/ready'])(
    'answers %s, which no endpoint has, with a JSON 404',
    async (path) => {
      const response = await get(path);
      expect([response.status, await response.json()]).toEqual([404, { message: 'Not Found' }]);
      expect(response.headers.get('content-type')).toBe('application/json');
    },
  );

  it.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'])('answers %s on a path without it with 404', async (method) => {
    expect((await get('/ready', { method })).status).toBe(404);
  });

  it('accepts a GET with a JSON content type and no body', async () => {
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    expect(await eventOf(await get('/api/v2/things/acme', { headers }))).not.toHaveProperty('body');
  });

  it('answers a path that is not valid percent-encoding with a JSON 400', async () => {
    expect(await sendRaw({ path: '/api/v2/things/%zz' })).toEqual({ status: 400, body: '{"message":"Bad Request"}' });
  });

  it('refuses a body above 10 MB without calling the function, and still answers other requests', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const post = {
      method: 'POST',
      path: '/api/v2/things/acme',
      headers: { 'content-type': 'application/json' },
      agent,
    };
    const refused = { status: 413, body: '{"message":"Request Too Long"}' };
    expect(await sendRaw({ ...post, body: Buffer.alloc(10 * MIB + 1, ' ') })).toEqual(refused);
    expect((await sendRaw({ ...post, body: Buffer.from('1') })).status).toBe(200);
    agent.destroy();
  });

  it('refuses a body that in base64 is too large for a function', async () => {
    const post = (size: number, type: string) =>
      sendRaw({
        method: 'POST',
        path: '/api/v2/things/acme?act=binary',
        headers: { 'content-type': type },
        body: Buffer.alloc(size, 'x'),
      });
    expect((await post(4.4 * MIB, 'application/octet-stream')).status).toBe(201);
    expect((await post(4.6 * MIB, 'application/octet-stream')).status).toBe(413);
    expect((await post(5.5 * MIB, 'text/plain')).status).toBe(201);
    expect((await post(6.1 * MIB, 'text/plain')).status).toBe(413);
  });

  it('answers 431 if the headers are too large', async () => {
    const refused = { status: 431, body: '{"message":"Request Header Fields Too Large"}' };
    expect(await sendRaw({ path: '/ready', headers: { 'x-long': 'x'.repeat(11_000) } })).toEqual(refused);
    expect(await sendRaw({ path: '/ready', headers: { 'x-long': 'x'.repeat(100_000) } })).toEqual(refused);
    expect((await sendRaw({ path: '/ready', headers: { 'x-long': 'x'.repeat(9_000) } })).status).toBe(200);
  });

  it('answers a request that is not HTTP with a JSON 400', async () => {
    const { port } = new URL(gateway.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write('nonsense\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 .*\{"message":"Bad Request"\}$/s);
  });

  it('answers 500 without the reason if a function throws or returns too much', async () => {
    for (const act of ['throw', 'large']) {
      const response = await get(`/ready?act=${act}`);
      expect([response.status, await response.text()]).toEqual([500, '{"message":"Internal Server Error"}']);
    }
  });

  it('answers 503 if a function does not end in time', async () => {
    const response = await get('/ready?act=wait');
    expect([response.status, await response.json()]).toEqual([503, { message: 'Service Unavailable' }]);
  });

  it('returns bytes and cookies of a function', async () => {
    const response = await get('/ready?act=binary');
    expect([...(await response.bytes())]).toEqual([0, 255]);
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  });

  it('throws one sentence if its port is taken', async () => {
    const port = Number(new URL(gateway.url).port);
    const second = startGateway({ groups: [], functionOf: () => echo, defaultFunction: echo, port });
    await expect(second).rejects.toThrow(`Port ${port} is taken: choose another one with --port or PORT.`);
  });
});
