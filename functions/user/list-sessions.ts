import * as z from 'zod';
import type { Stores } from '#shared/bodies/stores.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { listSessions as list } from '#shared/organizations/sessions.ts';
import { SessionOut, sessionOut } from './session-output.ts';

/** GET /user/sessions: the active sessions of the caller, the oldest first (rules/organizations.md#sessions). */
export const listSessions = endpoint({
  operation: 'listSessions',
  method: 'GET',
  path: '/user/sessions',
  summary: 'List the active sessions of the caller',
  access: 'authenticated',
  success: { 200: z.array(SessionOut) },
  handler: async ({ credential }, stores: Pick<Stores, 'table' | 'clock'>) => ({
    status: 200,
    body: (await list(stores, credential)).map((session) => sessionOut(session, credential.session?.id)),
  }),
});
