import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { REFERENCE_HEADERS, REFERENCE_PAGE, REFERENCE_PATH } from '#shared/http/reference-page.ts';

/** The page for people (wire admin §2); the one with a slash at its end is no route of its own: see unknown-route. */
export const getReference = endpoint({
  operation: 'getReference',
  method: 'GET',
  path: REFERENCE_PATH,
  summary: 'The reference of this API as a page',
  access: 'public',
  params: z.object({}),
  query: z.object({}),
  body: { kind: 'none' },
  produces: 'html',
  success: { 200: z.string() },
  errors: [],
  handler: async () => ({ status: 200, body: REFERENCE_PAGE, headers: REFERENCE_HEADERS }),
});
