import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { errorResult, type Result, withCommonHeaders } from '#shared/http/answers.ts';
import { notFound } from '#shared/http/sentences.ts';

/** Answers every path and method that no endpoint has, before any credentials are looked at (design §3, «Gateway»). */
export const handler = async (event: APIGatewayProxyEventV2): Promise<Result> =>
  withCommonHeaders(errorResult(notFound()), event.requestContext.requestId);
