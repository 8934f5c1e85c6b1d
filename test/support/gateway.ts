import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import * as z from 'zod';
import type { Result } from '#shared/http/answers.ts';
import type { GroupHandler } from '#shared/http/lambda.ts';

export interface TestRequest {
  method?: string;
  /** Below the host, decoded, with `/api/v2` where it belongs. */
  path: string;
  query?: string;
  headers?: Record<string, string>;
  /** `name=value` each, as the gateway separates them from the headers. */
  cookies?: string[];
  /** Text is sent as it is, anything else as JSON; bytes in base64, as the gateway does. */
  body?: unknown;
  key?: string;
}

/** A request as an HTTP API hands it over. */
export function gatewayEvent({
  method = 'GET',
  path,
  query = '',
  headers = {},
  cookies,
  body,
  key,
}: TestRequest): APIGatewayProxyEventV2 {
  const bytes = Buffer.isBuffer(body) ? body.toString('base64') : undefined;
  const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
  const sent = bytes ?? text;
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: query,
    headers: { host: 'api.example', ...(key !== undefined && { authorization: `Bearer ${key}` }), ...headers },
    ...(cookies && { cookies }),
    requestContext: {
      accountId: '000000000000',
      apiId: 'test',
      domainName: 'gateway.example',
      domainPrefix: 'gateway',
      http: { method, path, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'test' },
      requestId: 'request-1',
      routeKey: '$default',
      stage: '$default',
      time: '01/Jan/2026:00:00:00 +0000',
      timeEpoch: 1_767_225_600_000,
    },
    isBase64Encoded: bytes !== undefined,
    ...(sent !== undefined && { body: sent }),
  };
}

export interface TestAnswer {
  status: number;
  headers: Record<string, string>;
  /** Values of `Set-Cookie`. */
  cookies: string[];
  text: string;
  /** The body as the client gets it from the gateway. */
  bytes: Buffer;
  /** The parsed body; undefined where it is not JSON. */
  json: unknown;
}

/** Sends a request through a group's handler, as the gateway would, and reads the answer as a client would. */
export async function call(handler: GroupHandler, request: TestRequest): Promise<TestAnswer> {
  return readResult(await handler(gatewayEvent(request)));
}

function readResult({ statusCode, headers, cookies = [], body = '', isBase64Encoded }: Result): TestAnswer {
  const isJson = headers['content-type'] === 'application/json' && headers['content-encoding'] === undefined;
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  const json: unknown = isJson ? JSON.parse(body) : undefined;
  if (statusCode < 400 || !isJson) return { status: statusCode, headers, cookies, text: body, bytes, json };
  const refusal = withoutRequestId(json, headers);
  const text = JSON.stringify(refusal);
  return { status: statusCode, headers, cookies, text, bytes: Buffer.from(text), json: refusal };
}

/** A refusal of the protocol that agents speak (rules/agents.md#refusals). */
const ProtocolRefusal = z.looseObject({
  jsonrpc: z.literal('2.0'),
  error: z.looseObject({ data: z.looseObject({ request_id: z.string() }) }),
});

/**
 * Returns the body of a refusal without the id of the request, which differs from request to request. A refusal of a protocol keeps it.
 *
 * @throws Error unless the body has the id of the header
 */
function withoutRequestId(json: unknown, headers: Record<string, string>): object {
  const message = ProtocolRefusal.safeParse(json).data;
  if (message) {
    const { request_id } = message.error.data;
    if (request_id !== headers['x-request-id']) throw new Error(`A refusal names the request ${request_id}`);
    return message;
  }
  const { request_id, ...refusal } = z.looseObject({ request_id: z.string() }).parse(json);
  if (request_id !== headers['x-request-id']) throw new Error(`A refusal names the request ${request_id}`);
  return refusal;
}
