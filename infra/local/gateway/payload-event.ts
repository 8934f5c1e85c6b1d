import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Selected } from '#shared/http/routes.ts';
import { type GatewayRoute, routeKey as keyOf } from '../../gateway-routes.ts';

/** A request as the server received it. */
export interface WireRequest {
  method: string;
  /** Path and query as sent. */
  target: string;
  /** All values by lower-case name. */
  headers: Readonly<Record<string, readonly string[] | undefined>>;
  body: Buffer;
  sourceIp: string;
  httpVersion: string;
  requestId: string;
  /** Milliseconds since the epoch. */
  at: number;
}

/** Path and query of a request target. */
interface Target {
  /** Decoded, and cut at a decoded question mark (rules/requests.md#path-decoding). */
  path: string;
  /** As sent, without the question mark. */
  query: string;
}

/**
 * Splits the target of a request into path and query.
 *
 * @returns null if the path is not valid percent-encoding
 */
export function parseTarget(target: string): Target | null {
  const [sent = '', ...query] = target.replace(/^https?:\/\/[^/?]*/i, '').split('?');
  try {
    const [path = ''] = decodeURIComponent(sent).split('?');
    return { path: path === '' ? '/' : path, query: query.join('?') };
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

const DEFAULT_ROUTE = '$default';

/**
 * Returns the event of a request in payload format 2.0 (rules/requests.md#path-decoding).
 *
 * @param match undefined for the default route
 */
export function toEvent(
  request: WireRequest,
  { path, query }: Target,
  match: Selected<GatewayRoute> | undefined,
): APIGatewayProxyEventV2 {
  const { method, sourceIp, requestId, at } = request;
  const { cookie, ...others } = request.headers;
  const headers = joinValues(others);
  const routeKey = match ? keyOf(match.route) : DEFAULT_ROUTE;
  return {
    version: '2.0',
    routeKey,
    rawPath: path,
    rawQueryString: query,
    ...(cookie && { cookies: cookie.flatMap((line) => line.split(/;\s*/)) }),
    headers: {
      ...headers,
      'x-forwarded-for': sourceIp,
      'x-forwarded-proto': 'http',
      'x-forwarded-port': portOf(headers),
    },
    ...(query !== '' && { queryStringParameters: parametersOf(query) }),
    ...(match && Object.keys(match.parameters).length > 0 && { pathParameters: match.parameters }),
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      domainName: headers['host'] ?? 'localhost',
      domainPrefix: 'local',
      http: { method, path, protocol: `HTTP/${request.httpVersion}`, sourceIp, userAgent: headers['user-agent'] ?? '' },
      requestId,
      routeKey,
      stage: DEFAULT_ROUTE,
      time: commonLogTime(at),
      timeEpoch: at,
    },
    ...bodyOf(headers, request.body),
  };
}

const joinValues = (headers: WireRequest['headers']): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).flatMap(([name, values]) => (values ? [[name, values.join(',')]] : [])));

const portOf = (headers: Record<string, string>) => /:(\d+)$/.exec(headers['host'] ?? '')?.[1] ?? '80';

function parametersOf(query: string): Record<string, string> {
  const values = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    const previous = values.get(name);
    values.set(name, previous === undefined ? value : `${previous},${value}`);
  }
  return Object.fromEntries(values);
}

/** Content types whose bodies are passed as text. All other bodies are passed in base64. */
const TEXT = /^(?:text\/.*|application\/(?:json|xml|javascript))$/;

function bodyOf(headers: Record<string, string>, body: Buffer): { body?: string; isBase64Encoded: boolean } {
  if (body.length === 0) return { isBase64Encoded: false };
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const isText = TEXT.test(type) && headers['content-encoding'] === undefined;
  return { body: body.toString(isText ? 'utf8' : 'base64'), isBase64Encoded: !isText };
}

/** Formats a time as `21/Nov/2026:00:08:58 +0000`. */
function commonLogTime(millis: number): string {
  const [, day, month, year, time] = new Date(millis).toUTCString().split(' ');
  return `${day}/${month}/${year}:${time} +0000`;
}
