import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { CONTENT_TYPES, errorResult, type Result, withCommonHeaders } from '#shared/http/answers.ts';
import { fullPath } from '#shared/http/gateway-event.ts';
import { REFERENCE_HEADERS, REFERENCE_PAGE, REFERENCE_PATH } from '#shared/http/reference-page.ts';
import { notFound } from '#shared/http/sentences.ts';

/** The documented address of the reference page. A route of the gateway cannot end with a slash. */
const REFERENCE = `${fullPath(REFERENCE_PATH)}/`;

/**
 * Answers every request that fits no route, without looking at credentials (rules/requests.md#unknown-routes): 404, or the
 * reference page if its address ends with a slash (rules/requests.md#reference-page).
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
