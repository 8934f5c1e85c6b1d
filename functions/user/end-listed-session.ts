import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { noSessionCookies } from '#shared/http/authentication/sent-credential.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { sessionNotFound } from '#shared/organizations/rules/sentences.ts';
import { END_SESSION, endSession } from '#shared/organizations/sessions.ts';

/** DELETE /user/sessions/{session_id}: ends any session of the caller (rules/organizations.md#sessions). */
export const endListedSession = endpoint({
  operation: 'endListedSession',
  method: 'DELETE',
  path: '/user/sessions/{session_id}',
  summary: 'End a session of the caller',
  description: 'The change takes effect everywhere within 30 seconds.',
  access: 'authenticated',
  success: { 200: z.literal('ended') },
  errors: [sessionNotFound],
  uses: END_SESSION,
  handler: async (request, stores: Pick<Stores, 'table' | 'clock'>) => {
    const { params, credential, host } = request;
    const hash = await endSession(stores, request, params.session_id);
    return {
      status: 200,
      body: 'ended' as const,
      ...(credential.session?.id === params.session_id && { cookies: noSessionCookies(host) }),
      distrust: { sessions: [hash] },
    };
  },
});
