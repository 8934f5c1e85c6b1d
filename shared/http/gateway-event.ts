import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { BASE_PATH } from '#shared/base/addresses.ts';

/**
 * How the gateway delivers the path. An HTTP API already decodes the percent signs of `rawPath` and
 * `requestContext.http.path`, so a second decoding would turn `%2541` into `A` (rules/requests.md#path-decoding). Only
 * this constant depends on it: a gateway that delivers paths as they were sent needs `encoded`.
 */
const PATH_FORM: PathForm = 'decoded';
type PathForm = 'decoded' | 'encoded';

/** A request, independent of the form of the gateway. */
export interface GatewayRequest {
  /** Id that the gateway gave to the request. Answers and log lines contain it. */
  requestId: string;
  method: string;
  /** Decoded. */
  path: string;
  /** As sent, encoded, without the question mark. */
  rawQuery: string;
  /** By lower-case name. */
  headers: Readonly<Record<string, string | undefined>>;
  /** `name=value` of each cookie, as sent. */
  cookies: readonly string[];
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
    cookies: event.cookies ?? [],
    body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'),
  };
}

/** Decodes each segment separately. A segment that cannot be decoded stays unchanged. */
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

/** Returns the full path of an endpoint: below the base path unless it starts with `root:`. */
export const fullPath = (path: string): string =>
  path.startsWith('root:') ? path.slice('root:'.length) : BASE_PATH + path;
