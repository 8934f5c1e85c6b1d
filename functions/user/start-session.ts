import * as z from 'zod';
import { sessionCookie } from '#shared/http/authentication/sent-credential.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { SessionOut, startSession as start } from '#shared/organizations/manage-sessions.ts';
import { keyNeeded, replacedSecret } from '#shared/organizations/rules/sentences.ts';

/** POST /user/session: starts a session and sets its cookie (rules/organizations.md#sessions). */
export const startSession = endpoint({
  operation: 'startSession',
  method: 'POST',
  path: '/user/session',
  summary: 'Start a session with an API key',
  description:
    'For web pages of this service. The answer sets the cookie `__Host-session`, or `session` over http. The session ends after 12 hours, and with the key that started it. A principal has at most 50 sessions; one more ends the oldest.',
  access: 'authenticated',
  params: z.object({}),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 201: SessionOut },
  errors: [keyNeeded, replacedSecret],
  uses: { writes: ['@SESSION', '@SESSIONS', 'AUDIT'], removes: ['@SESSION', '@SESSIONS'] },
  handler: async (request, services) => {
    const { session, secret, seconds, ended } = await start(request, services);
    return {
      status: 201,
      body: session,
      cookies: [sessionCookie(request.host, secret, seconds)],
      distrust: { sessions: ended },
    };
  },
});
