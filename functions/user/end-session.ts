import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { noSessionCookies } from '#shared/http/authentication/sent-credential.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { noSession, sessionNotFound } from '#shared/organizations/rules/sentences.ts';
import { END_SESSION, endSession as end } from '#shared/organizations/sessions.ts';

/** DELETE /user/session: ends the session of the request and deletes its cookie (rules/organizations.md#sessions). */
export const endSession = endpoint({
  operation: 'endSession',
  method: 'DELETE',
  path: '/user/session',
  summary: 'End the session of this request',
  description: 'The answer makes the browser delete the cookie.',
  access: 'authenticated',
  success: { 200: z.literal('ended') },
  errors: [noSession, sessionNotFound],
  uses: END_SESSION,
  handler: async (request, stores: Pick<Stores, 'table' | 'clock'>) => {
    const { session } = request.credential;
    if (!session) throw noSession();
    const hash = await end(stores, request, session.id);
    return {
      status: 200,
      body: 'ended' as const,
      cookies: noSessionCookies(request.host),
      distrust: { sessions: [hash] },
    };
  },
});
