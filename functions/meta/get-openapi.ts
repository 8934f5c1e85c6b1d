import * as z from 'zod';
import { RawJson } from '#shared/base/json-text.ts';
import { runningRelease } from '#shared/base/release.ts';
import { endpoint } from '#shared/http/endpoint.ts';

const INFO = '"info":{';

/** Adds the release that serves the document. In bundles, the text was written before anybody knew the commit. */
const withRelease = (text: string): string =>
  text.replace(INFO, `${INFO}"x-release":${JSON.stringify(runningRelease())},`);

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
      text ??= withRelease(documentText());
      return { status: 200, body: new RawJson(text) };
    },
  });
};
