import type { Stores } from '#shared/bodies/stores.ts';
import { sessionCookies } from '#shared/http/authentication/sent-credential.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { keyNeeded, replacedSecret, sessionNotFound } from '#shared/organizations/rules/sentences.ts';
import { renewSession, START_SESSION, startSession as start } from '#shared/organizations/sessions.ts';
import { SessionOut, sessionOut } from './list-sessions.ts';

/** POST /user/session: starts a session with a key, or renews the session of a sign-in (rules/organizations.md#sessions). */
export const startSession = endpoint({
  operation: 'startSession',
  method: 'POST',
  path: '/user/session',
  summary: 'Start a session with an API key, or renew a session that began at the sign-in provider',
  description:
    'For web pages of this service. With an API key, the answer sets the cookies `__Host-session` and `__Host-session-csrf`, over http `session` and `session-csrf`. The session ends after 12 hours, and with the key that started it. A principal has at most 50 sessions; one more ends the oldest. With the cookie of a session that began at the sign-in provider, that session is renewed: it lasts another hour, but at most 8 hours in total.',
  access: 'authenticated',
  success: { 200: SessionOut, 201: SessionOut },
  errors: [keyNeeded, replacedSecret, sessionNotFound],
  uses: START_SESSION,
  handler: async (request, stores: Pick<Stores, 'table' | 'clock'>) => {
    const { credential } = request;
    const present = credential.session;
    if (present) {
      const renewed = await renewSession(stores, credential, present);
      return { status: 200, body: sessionOut(renewed, present.id), distrust: { sessions: [renewed.hash] } };
    }
    const { session, secrets, seconds, ended } = await start(stores, request);
    return {
      status: 201,
      body: sessionOut(session, session.id),
      cookies: sessionCookies(request.host, secrets, seconds),
      distrust: { sessions: ended },
    };
  },
});
