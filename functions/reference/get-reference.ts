import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { REFERENCE_HEADERS, REFERENCE_PAGE, REFERENCE_PATH } from '#shared/http/reference-page.ts';

/** Serves the reference page (rules/requests.md#reference-page). `unknown-route` serves the address with a slash at its end. */
export const getReference = endpoint({
  operation: 'getReference',
  method: 'GET',
  path: REFERENCE_PATH,
  summary: 'The reference of this API as a page',
  access: 'public',
  params: z.object({}),
  produces: 'html',
  success: { 200: z.string() },
  handler: async () => ({ status: 200, body: REFERENCE_PAGE, headers: REFERENCE_HEADERS }),
});
