import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import { listSessions as list, SessionOut } from '#shared/organizations/manage-sessions.ts';

/** GET /user/sessions: the active sessions of the caller, the oldest first (rules/organizations.md#sessions). */
export const listSessions = endpoint({
  operation: 'listSessions',
  method: 'GET',
  path: '/user/sessions',
  summary: 'List the active sessions of the caller',
  access: 'authenticated',
  params: z.object({}),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: z.array(SessionOut) },
  errors: [],
  handler: async (request, services) => ({ status: 200, body: await list(request, services) }),
});
