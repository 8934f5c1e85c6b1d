import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { CONTENT_TYPES, errorResult, type Result, withCommonHeaders } from '#shared/http/answers.ts';
import { fullPath, readEvent } from '#shared/http/gateway-event.ts';
import { REFERENCE_HEADERS, REFERENCE_PAGE, REFERENCE_PATH } from '#shared/http/reference-page.ts';
import { notFound } from '#shared/http/sentences.ts';
import { shellFor } from './shell.ts';

/** The documented address of the reference page. A route of the gateway cannot end with a slash. */
const REFERENCE = `${fullPath(REFERENCE_PATH)}/`;

/**
 * Answers every request that fits no route, without looking at credentials (rules/requests.md#unknown-routes): the reference
 * page if its address ends with a slash (rules/requests.md#reference-page), a page of the console (rules/web-console.md#shell),
 * or else 404.
 */
export const handler = async (event: APIGatewayProxyEventV2): Promise<Result> => {
  const request = readEvent(event);
  const { requestId } = request;
  const isReference = request.method === 'GET' && request.path === REFERENCE;
  const page = isReference ? reference() : shellFor(request);
  return withCommonHeaders(page ?? errorResult(notFound(), { requestId }), requestId);
};

const reference = (): Result => ({
  statusCode: 200,
  headers: { ...REFERENCE_HEADERS, 'content-type': CONTENT_TYPES.html },
  body: REFERENCE_PAGE,
});
