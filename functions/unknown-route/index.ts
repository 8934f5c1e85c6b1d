import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { CONTENT_TYPES, errorResult, type Result, withCommonHeaders } from '#shared/http/answers.ts';
import { fullPath } from '#shared/http/gateway-event.ts';
import { REFERENCE_HEADERS, REFERENCE_PAGE, REFERENCE_PATH } from '#shared/http/reference-page.ts';
import { notFound } from '#shared/http/sentences.ts';

/** The documented address of the page for people; no route of the gateway can end with a slash. */
const REFERENCE = `${fullPath(REFERENCE_PATH)}/`;

/**
 * Answers every path and method that no endpoint has, before any credentials are looked at (design §3, «Gateway»): with
 * 404, but for the reference's address with a slash at its end.
 */
export const handler = async ({ rawPath, requestContext }: APIGatewayProxyEventV2): Promise<Result> => {
  const isReference = requestContext.http.method === 'GET' && rawPath === REFERENCE;
  return withCommonHeaders(isReference ? reference() : errorResult(notFound()), requestContext.requestId);
};

const reference = (): Result => ({
  statusCode: 200,
  headers: { ...REFERENCE_HEADERS, 'content-type': CONTENT_TYPES.html },
  body: REFERENCE_PAGE,
});
