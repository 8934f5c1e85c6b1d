import type { APIGatewayProxyEventV2 } from 'aws-lambda';

/**
 * How the gateway hands over the path. An HTTP API decodes the percent signs of `rawPath` and of
 * `requestContext.http.path` itself (design §3, «What the gateway hands over»), so decoding again would turn `%2541`
 * into `A`. This is the one place that knows; a gateway that hands paths over as they were sent needs `encoded` here.
 */
export const PATH_FORM: PathForm = 'decoded';
export type PathForm = 'decoded' | 'encoded';

/** The address of the API below the host. Endpoints outside it carry `root:` in their path. */
export const BASE_PATH = '/api/v2';

/** A request as this service understands it, whatever the gateway's form. */
export interface GatewayRequest {
  /** The gateway's id of the request; answers and log lines carry it. */
  requestId: string;
  method: string;
  /** Decoded. */
  path: string;
  /** As sent, encoded, without the question mark. */
  rawQuery: string;
  /** By lower-case name. */
  headers: Readonly<Record<string, string | undefined>>;
  /** `https://host`, without a trailing slash. */
  host: string;
  body: Buffer;
}

/** @param form how `rawPath` was handed over */
export function readEvent(event: APIGatewayProxyEventV2, form: PathForm = PATH_FORM): GatewayRequest {
  const { requestContext, body = '', isBase64Encoded } = event;
  const headers: Record<string, string | undefined> = Object.assign(Object.create(null), event.headers);
  return {
    requestId: requestContext.requestId,
    method: requestContext.http.method,
    path: form === 'decoded' ? event.rawPath : decoded(event.rawPath),
    rawQuery: event.rawQueryString,
    headers,
    host: hostOf(headers, requestContext.domainName),
    body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'),
  };
}

/** Decodes each segment by itself; a segment that cannot be decoded stays as it is and matches what it matches. */
function decoded(path: string): string {
  return path
    .split('/')
    .map((segment) => {
      try {
        return decodeURIComponent(segment);
      } catch (error) {
        if (error instanceof URIError) return segment;
        throw error;
      }
    })
    .join('/');
}

const HOST = /^[A-Za-z0-9.-]+(:\d+)?$|^\[[0-9A-Fa-f:.]+\](:\d+)?$/;

/** The host that the caller used; the gateway's own name where the header is unusable in a link. */
function hostOf(headers: GatewayRequest['headers'], domainName: string): string {
  const { host = '' } = headers;
  const scheme = headers['x-forwarded-proto'] === 'http' ? 'http' : 'https';
  return `${scheme}://${HOST.test(host) ? host : domainName}`;
}

/** An endpoint's path as the gateway sees it: below the base path unless it begins with `root:`. */
export const fullPath = (path: string): string =>
  path.startsWith('root:') ? path.slice('root:'.length) : BASE_PATH + path;
