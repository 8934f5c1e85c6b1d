import * as z from 'zod';
import { RawJson } from '#shared/base/json-text.ts';
import { endpoint } from '#shared/http/endpoint.ts';

/** Serves the OpenAPI document (rules/requests.md#openapi-document). The first request builds the text. */
export const getOpenApi = (documentText: () => string) => {
  let text: string | undefined;
  return endpoint({
    operation: 'getOpenApi',
    method: 'GET',
    path: '/openapi.json',
    summary: 'The OpenAPI 3.1 description of this API',
    access: 'public',
    params: z.object({}),
    success: { 200: z.unknown().meta({ type: 'object', description: 'An OpenAPI 3.1 document' }) },
    errors: [],
    handler: async () => {
      text ??= documentText();
      return { status: 200, body: new RawJson(text) };
    },
  });
};
